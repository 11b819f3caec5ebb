//! Elaboration: from syntax to the typed program.
