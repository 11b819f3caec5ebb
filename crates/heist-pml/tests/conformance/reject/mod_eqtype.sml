(* error: E0409 *)
signature KEY = sig eqtype key end
structure K : KEY = struct type key = int -> int end
