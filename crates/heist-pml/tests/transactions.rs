//! Tests transactions of `STM`, on several workers and in many modes (`modes/mod.rs`).

mod modes;

use std::process::ExitCode;

/// The test programs, each with its name. Each program prints one line.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "a transaction lets other threads run",
        r#"
        (* The dialect of Manticore. *)
        fun await f = if f () then () else (CML.yield (); await f)
        val (begun, goesOn) = (ref false, ref false)
        fun wait () = if ! goesOn then () else wait ()
        val id = CML.spawn (fn () => STM.atomic (fn () => (begun := true; wait ())))
        val () = await (fn () => ! begun)
        val () = goesOn := true
        val () = CML.sync (CML.joinEvt id)
        val () = print "done\n"
        "#,
    ),
    (
        "a transaction ends after those inside of it, also by an exception",
        r#"
        (* The dialect of Manticore. *)
        exception E
        val long = if SIZE >= 100000 then 5000000 else 200
        fun spin n = if n = 0 then 0 else spin (n - 1)
        val isInside = STM.new false
        fun inside () = STM.atomic (fn () => (STM.put (isInside, true); ignore (spin long); STM.put (isInside, false); 1))
        fun await n = if STM.get isInside orelse n = 0 then raise E else await (n - 1)
        fun outside () = STM.atomic (fn () => let val (a, b) = (| await long, inside () |) in a + b end)
        val raised = (ignore (outside ()); false) handle E => true
        val () = print (if raised andalso not (STM.atomic (fn () => STM.get isInside)) then "done\n" else "wrong\n")
        "#,
    ),
    (
        "a program ends although a transaction has no end",
        r#"
        (* The dialect of Manticore. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun forever (n : int) : int = forever (n + 1)
        val begun = ref false
        val _ = CML.spawn (fn () => STM.atomic (fn () => (begun := true; ignore (forever 0))))
        val () = await (fn () => ! begun)
        val () = print "done\n"
        "#,
    ),
    (
        "a program ends although forks in a transaction have no end",
        r#"
        (* The dialect of Manticore. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun forever (n : int) : int = forever (n + 1)
        val begun = ref false
        fun both () = STM.atomic (fn () => let val (a, b) = (| (begun := true; forever 0), (| forever 1, forever 2 |) |) in a end)
        val _ = CML.spawn (fn () => ignore (both ()))
        val () = await (fn () => ! begun)
        val () = print "done\n"
        "#,
    ),
    (
        "a program exits although a transaction has no end",
        r#"
        (* The dialect of Manticore. *)
        (* As usual. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun forever (n : int) : int = forever (n + 1)
        val begun = ref false
        val _ = CML.spawn (fn () => STM.atomic (fn () => (begun := true; ignore (forever 0))))
        val () = await (fn () => ! begun)
        val () = print "done\n"
        val _ = OS.Process.exit OS.Process.success
        "#,
    ),
    (
        "an exception ends a program although a part of its fork is in a transaction without an end",
        r#"
        (* The dialect of Manticore. *)
        (* As usual. *)
        fun await (f, k) = if k = 0 orelse f () then () else (CML.yield (); await (f, k - 1))
        fun forever (n : int) : int = forever (n + 1)
        val begun = ref false
        val () = OS.Process.atExit (fn () => (print "done\n"; OS.Process.exit OS.Process.success))
        fun right () = STM.atomic (fn () => (begun := true; forever 0))
        (* Whether that was stolen or not. *)
        fun left () = (await (fn () => ! begun, 100000); raise Fail "expected")
        val _ = (| left (), right () |)
        "#,
    ),
    (
        "transactions inside of a transaction run one at a time in parts of its forks",
        r#"
        (* The dialect of Manticore. *)
        fun await f = if f () then () else (CML.yield (); await f)
        fun check (name, ok) = if ok then () else print (name ^ " ")
        val count = STM.new 0
        fun waste (0 : int) = ()
          | waste k = waste (k - 1)
        fun add () =
          STM.atomic (fn () => let val n = STM.get count in waste 20; STM.put (count, n + 1) end)
        fun tree 0 = add ()
          | tree d = ignore (| tree (d - 1), tree (d - 1) |)
        (* A transaction of another thread never begins in the midst of these. *)
        val (inside, seen, ends) = (ref false, ref false, ref false)
        fun look () =
          (STM.atomic (fn () => if ! inside then seen := true else ());
           if ! ends then () else (CML.yield (); look ()))
        val id = CML.spawn look
        fun whole f = STM.atomic (fn () => (inside := true; f (); inside := false))
        val depth = if SIZE >= 5000 then 7 else 3
        fun power (0 : int) = 1 | power n = 2 * power (n - 1)
        val () = whole (fn () => tree depth)
        val () = check ("tree", STM.get count = power depth)
        (* Each level in a transaction of its own. *)
        fun nest 0 = add ()
          | nest d = STM.atomic (fn () => ignore (| nest (d - 1), nest (d - 1) |))
        val () = STM.put (count, 0)
        val () = whole (fn () => nest 3)
        val () = check ("nest", STM.get count = 8)
        (* A fork that was made outside of a transaction is outside of it, also if that has begun meanwhile. *)
        val (stolen, over) = (ref false, ref false)
        fun left () = whole (fn () => (tree 2; over := true))
        fun right () = (stolen := true; STM.atomic (fn () => check ("outside", not (! inside))))
        val () = ignore (| left (), right () |)
        val () = (ends := true; CML.sync (CML.joinEvt id))
        val () = check ("seen", not (! seen))
        val () = print "done\n"
        "#,
    ),
    (
        "a transaction in a stolen part of a fork of a transaction begins",
        r#"
        (* The dialect of Manticore. *)
        (* Without clones. *)
        val (begun, ended) = (ref false, ref false)
        fun wait f = if f () then () else wait f
        fun right () = (begun := true; STM.atomic (fn () => ended := true))
        (* The first transaction ends after the second. *)
        fun left () = wait (fn () => ! ended)
        val () = if WORKERS < 2 then () else STM.atomic (fn () => ignore (| left (), right () |))
        val () = print "done\n"
        "#,
    ),
];

fn main() -> ExitCode {
    let programs: Vec<_> = PROGRAMS
        .iter()
        .map(|(name, text)| (*name, (*text).to_owned()))
        .collect();
    modes::main(&programs, None)
}
