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
val () = (CVar.wait v handle CML.Deadlock s => say (Bool.toString (String.isPrefix "it waits for the variable made at " s)))
val () = CVar.signal v
val () = CVar.wait v
val e = PrimEvent.choose (PrimEvent.wrap (CVar.waitEvt v, fn () => 1), PrimEvent.always 2)
val () = sayInt (PrimEvent.sync e)
val w = PrimEvent.signalVar ()
val () = sayInt (PrimEvent.sync (PrimEvent.choose (PrimEvent.wrap (PrimEvent.waitEvt w, fn () => 1), PrimEvent.always 2)))

val here = VProcExtras.host ()
val () = List.app (fn vp => CML.sync (CML.joinEvt (VProcExtras.spawnOn (fn () => sayBool (VProcExtras.same (VProcExtras.host (), vp))) vp)))
    [hd (VProcExtras.vprocs ()), List.last (VProcExtras.vprocs ())]
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

(* Tables of up to five dimensions, as arrays and as ropes. *)
val cube = PArray.tab3D ((0, 1, 1), (0, 2, 2), (5, 4, ~1), fn (i, j, k) => i * 100 + j * 10 + k)
val () = say (PArray.tos_intParrParr cube)
val four = PArray.tab4D ((0, 1, 1), (0, 1, 1), (0, 1, 1), (0, 2, 1), fn (i, j, k, l) => i + 2 * j + 4 * k + 8 * l)
val () = sayInt (PArray.length (PArray.sub (PArray.sub (PArray.sub (four, 1), 0), 1)))
val five = Rope.tab5D ((1, 2, 1), (3, 3, 1), (4, 5, 1), (6, 6, 1), (7, 9, 2), fn (i, j, k, l, m) => (((i * 10 + j) * 10 + k) * 10 + l) * 10 + m)
val () = sayInt (Rope.sub (Rope.sub (Rope.sub (Rope.sub (Rope.sub (five, 1), 0), 1), 0), 1))
val () = sayInt (Rope.sub (Rope.sub (Rope.tab2D ((0, 4, 2), (0, 1, 1), fn (i, j) => i + j), 2), 1))
val () = sayInt (Rope.length (Rope.tabFromToStep (0, 9, 3, fn i => i)))
