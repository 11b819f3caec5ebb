functor Make (val n : int) = struct val result = Helper.twice n +++ Hidden.x end
structure List = struct val mine = Helper.twice 21 end
signature S = sig val result : int end
val () = print "once\n"
