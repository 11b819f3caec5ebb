(* Names of Manticore's earlier libraries. *)
val say = Print.printLn
fun sayInt n = say (Int.toString n)
fun sayBool b = say (Bool.toString b)
val () = (Print.printOrd (Int.compare (1, 2)); Print.printOrd EQUAL; Print.printOrd (Int.compare (2, 1)); say "")
val () = say (PArray.tos_float [| 0.5, 1.5 |])
val () = say (PArray.tos_long [| 4294967296, ~1 |])
val () = say (PArray.tos_bool [| true, false |] ^ PArray.tos_string [| "a", "b\n" |] ^ PArray.tos_char [| #"x" |])
val () = say (PArray.tos_floatParr [| [| 0.5 |], [| |] |])
val () = say (PArray.tos_dblParrParr [| [| [| 0.5 |] |] |])
val r = Ref.new 1
val () = (sayBool (Ref.pointerEq (r, r)); sayBool (Ref.pointerEq (r, Ref.new 1)))
val f = Ref.new (fn x => x + 1)
val () = sayBool (Ref.pointerEq (f, f))

val v = CVar.new ()
val () = (CVar.wait v handle Fail s => say s)
val () = CVar.signal v
val () = CVar.wait v
val e = PrimEvent.choose (PrimEvent.wrap (CVar.waitEvt v, fn () => 1), PrimEvent.always 2)
val () = sayInt (PrimEvent.sync e)
val w = PrimEvent.signalVar ()
val () = sayInt (PrimEvent.sync (PrimEvent.choose (PrimEvent.wrap (PrimEvent.waitEvt w, fn () => 1), PrimEvent.always 2)))

val here = VProcExtras.host ()
val () = List.app (fn vp => VProcExtras.spawnOn (fn () => sayInt (VProcExtras.id vp)) vp) (VProcExtras.vprocs ())
val () = sayBool (VProcExtras.same (here, hd (VProcExtras.vprocs ())))

val account = STM.new 100
fun withdraw n =
  STM.atomic (fn () =>
    let val now = STM.get account
    in if now < n then false else (STM.put (account, now - n); true)
    end)
val first = withdraw 70
val second = withdraw 70
val () = (sayBool first; sayBool second; sayInt (STM.get account))

val s = ListSeq.tabulate (4, fn i => i * i)
val () = sayInt (ListSeq.reduce (fn (a, b) => a + b, 0, ListSeq.map (fn x => x + 1, s)))
val longs = LongRope.tabulate (1000, fn i => Long.fromInt i)
val () = say (Long.toString (LongRope.sub (longs, 999)))
val () = sayInt (VectorSeq.length (VectorSeq.concat (VectorSeq.fromList [1, 2], VectorSeq.singleton 3)))
