//! The serialized form of ropes: sequences.

use heist::par::{Rope, RopeBuilder};

#[test]
fn as_a_sequence_of_json() {
    let mut builder = RopeBuilder::with_leaf(2);
    builder.extend(0..5);
    let rope = builder.finish();
    let text = serde_json::to_string(&rope).unwrap();
    assert_eq!(text, "[0,1,2,3,4]");
    assert_eq!(serde_json::from_str::<Rope<i32>>(&text).unwrap(), rope);
    let long: Rope<u64> = (0..5000).collect();
    let text = serde_json::to_string(&long).unwrap();
    assert_eq!(serde_json::from_str::<Rope<u64>>(&text).unwrap(), long);
    assert!(serde_json::from_str::<Rope<i32>>("[1,\"x\"]").is_err());
    assert!(serde_json::from_str::<Rope<i32>>("3").is_err());
}
