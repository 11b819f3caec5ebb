(* Names of Manticore's basis beyond numbers, lists and arrays. *)
fun say s = Print.printLn s
val itos = Int.toString
val () = say (itos (Cont.callec (fn k => 1 + Cont.throw (k, 41))) ^ " " ^ itos (Cont.callec (fn _ => 7)))
fun find p l = Cont.callec (fn k => (List.app (fn x => if p x then Cont.throw (k, SOME x) else ()) l; NONE))
val () = case find (fn x => x > 3) [1, 5, 4] of SOME n => say (itos n) | NONE => say "none"
(* An inner continuation does not catch a value that is thrown to an outer continuation. *)
val () = say (itos (Cont.callec (fn outer => 1 + Cont.callec (fn inner => Cont.throw (outer, 10)))))
val v = IVar.newIVar ()
val () = IVar.putIVar (v, 3)
val () = say (itos (IVar.getIVar v))
val empty : int IVar.ivar = IVar.newIVar ()
val () = say (itos (IVar.getIVar empty)) handle CML.Deadlock _ => say "it would wait"
val c = PrimChan.new ()
val _ = spawn (PrimChan.send (c, 5))
val _ = spawn (PrimChan.send (c, 6))
val (m, n) = (PrimChan.recv c, PrimChan.recv c) val () = say (itos (Int.min (m, n)) ^ itos (Int.max (m, n)))
val (a, b) = SpecPar.spec (fn () => (Print.print "first "; 1), fn () => (Print.print "second "; 2))
val () = say (itos (a + b))
val () = say (itos (ImplicitThread.runOnWorkGroup (WorkStealing.workGroup (), fn () => 4)))
val s : Word64.word Ref.ref = Ref.new (Word64.fromInt 5)
val () = Ref.set (s, Word64.add (Ref.get s, Word64.lsh (Word64.fromInt 1, Word64.fromInt 4)))
val () = say (Long.toString (Word64.toLong (Ref.get s)) ^ " " ^ itos (Word64.toInt (Word64.sub (Ref.get s, Word64.fromInt 22))))
val () = say (if String.same ("a", "a") andalso not (String.same ("a", "b")) then "same" else "different")
val () = say (String.concatWith "|" (String.tokenize " ," "a b,  c"))
val () = say (itos (Double.intFloor 3.7) ^ " " ^ Double.toString Double.pi)
val () = say (Time.toStringMicrosec 1234567 ^ " " ^ Time.toStringMicrosec ~5)
val () = say (itos (Vector.length (Vector.fromListN (2, [1, 2]))) ^ itos (Vector.sub (Vector.fromListRev ([1, 2], 2), 0)))
val () = say (itos (PArray.length (PArray.empty ()) + Array.length (Array.emptyArray ())))
val () = case por (fn () => NONE, fn () => SOME "right") of SOME s => say s | NONE => say "neither"
val () = Debug.failwith "failed" handle Fail s => say s
(* Events that are ready at once. *)
val (left, right) : int chan * int chan = (channel (), channel ())
val _ = spawn (send (right, 3))
val () = say (itos (sync (choose (wrap (recvEvt left, fn x => x + 100), wrap (recvEvt right, fn x => x + 10)))))
val _ = spawn (sync (choose (never, sendEvt (left, 9))))
val () = say (itos (sync (choose (never, recvEvt left))) ^ sync (Event.guard (fn () => always "!")))
val () =
  say (itos (sync (recvEvt left)))
  handle CML.Deadlock s =>
    if String.isPrefix "it waits for the channel made at " s andalso String.isSuffix ".pml:33:44, and no other thread is left" s
      then say "nobody sends"
      else say s
(* A program can match the leaves and nodes of ropes. *)
fun total (IntRope.Leaf s) = IntSeq.reduce (op +, 0, s)
  | total (IntRope.Cat (_, _, a, b)) = let val (m, n) = (| total a, total b |) in m + n end
val rope = IntRope.tabulate (1000, fn i => i)
fun same (IntRope.Leaf _, d) = d = 0
  | same (IntRope.Cat (depth, n, a, b), d) =
      d = depth andalso n = IntRope.length a + IntRope.length b andalso same (a, d - 1) andalso same (b, d - 1)
val () = say (itos (total rope) ^ " " ^ itos (IntRope.length rope) ^ " " ^ itos (IntRope.sub (rope, 777)))
val () = say (if same (rope, IntRope.depth rope) then "balanced" else "not balanced")
val ends = IntRope.concat (IntRope.fromList [1, 2], IntRope.concat (IntRope.empty (), IntRope.leaf (IntSeq.tabulate (2, fn i => i + 3))))
val () = say (String.concatWith "," (List.map itos (IntRope.toList ends)) ^ " " ^ itos (IntSeq.length (IntRope.toSeq ends)))
val () = say (Double.toString (DoubleSeq.sub (DoubleRope.toSeq (DoubleRope.singleton 0.5), 0)))
val () = say (PArray.tos_intParrParr [| [| [| 1, 2 |] |], [| [||], [| 3 |] |] |])
val () = say (String.concatWith "," (List.map itos (tab (fn i => i * i, 0, 3, 1) @ tab (fn i => i, 5, 0, ~2))))
val () = parrayApp (say, [| "an element", "another" |])
