(* error: E0401 *)
open Utilities
