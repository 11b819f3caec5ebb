//! Tests prompts whose inputs end while they hold a lock of the Basis. Later inputs must be able to take the lock.

use super::prompt::Prompt;

/// Inputs that the test ends at a random place, usually while they hold a lock. Later inputs must be able to use the mailbox. The messages
/// are small, because a message may stay in the mailbox when an input ends, and must leave memory for later inputs.
const BEGIN: &str = r#"
val m : int list Mailbox.mbox = Mailbox.mailbox ();
fun use x = (Mailbox.send (m, x); Mailbox.recv m);
fun grow xs = grow (hd (use [1]) :: xs);
fun fill () =
  let val half = Array.array (3300000, 0)
  in ignore (grow []); Array.sub (half, 0)
  end;
fun deep n = 1 + deep (length (use [n]) + n);
fun watch () = CML.spawn (fn () => (CML.sync (CML.timeOutEvt (Time.fromSeconds 120)); OS.Process.terminate OS.Process.failure));
fun drain () = case Mailbox.recvPoll m of SOME _ => drain () | NONE => ();
fun check n =
  (ignore (watch ());
   drain ();
   print ("<" ^ Int.toString (hd (use [n])) ^ ">\n"));
"#;

/// The number of rounds. In about half of the rounds, `grow` uses up the memory while it holds the
/// lock.
const ROUNDS: usize = 6;

pub(crate) fn are_given_back() {
    let overflow = "stack overflow";
    let memory = "out of memory: the heap has reached its limit of 64 MiB";
    for workers in [1, 2] {
        let mut prompt = Prompt::new(workers, false, false);
        prompt.type_in(BEGIN);
        let mut said = Vec::new();
        for round in 0..ROUNDS {
            // With several workers, each message is promoted, so the heap would fill up too slowly for a test.
            let (input, message) = if workers > 1 || round % 3 == 2 {
                ("val _ = deep 0;\n", overflow)
            } else {
                ("val _ = fill ();\n", memory)
            };
            prompt.type_in(input);
            prompt.type_in(&format!("val () = check {round};\n"));
            prompt.until(&format!("<{round}>"));
            said.push(message);
        }
        let messages = prompt.end();
        let lines: Vec<&str> = messages.lines().collect();
        assert_eq!(lines.len(), said.len(), "{messages}");
        for (line, message) in lines.iter().zip(said) {
            assert!(line.starts_with(message), "{message}: {line}");
        }
    }
}

/// Inputs in the dialect of Manticore. Each input ends while one of its threads is in a transaction.
const TRANSACTIONS: &str = r#"
val (a, b) = (STM.new 0, STM.new 0);
fun forever (n : int) : int = forever (n + 1);
fun spin until = if Time.now () > until then () else spin until;
fun leave f =
  let
    val begun = ref false
    fun wait () = if ! begun then () else (CML.yield (); wait ())
  in
    ignore (CML.spawn (fn () => STM.atomic (fn () => f begun)));
    wait ()
  end;
fun both () = STM.atomic (fn () => STM.get a * 1000 + STM.get b);
"#;

pub(crate) fn transactions_end() {
    for workers in [1, 2] {
        let mut prompt = Prompt::of("manticore", workers, false, false);
        prompt.type_in(TRANSACTIONS);
        // The end of an input waits up to a second for its transactions, so the next input sees their effects. The
        // machine may be busy for more than a second, but not in all rounds.
        let whole = |prompt: &mut Prompt, round: i32| {
            prompt.type_in(&format!(
                "val () = leave (fn begun => (STM.put (a, {round}); begun := true; spin (Time.now () + 20000); STM.put (b, {round})));
                 val () = print (\"<\" ^ Int.toString (both ()) ^ \">\\n<end>\\n\");\n"
            ));
            let said = prompt.until("<end>");
            said.contains(&format!("<{}>", round * 1001))
        };
        assert!((1..10).any(|round| whole(&mut prompt, round)));
        // After this second, a transaction is cancelled.
        prompt.type_in(
            "val () = leave (fn begun => (STM.put (a, 20); begun := true; ignore (forever 0); STM.put (b, 20)));
             val () = STM.atomic (fn () => STM.put (b, 30));
             val () = print (\"<\" ^ Int.toString (both ()) ^ \">\\n\");\n",
        );
        prompt.until("<20030>");
        assert_eq!(prompt.end(), "");
    }
}
