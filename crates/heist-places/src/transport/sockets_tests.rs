use super::*;

fn pair() -> (Sockets, Sockets) {
    let (here, there) = UnixStream::pair().unwrap();
    let here = Sockets::new(0, vec![None, Some(here)], None).unwrap();
    let there = Sockets::new(1, vec![Some(there), None], None).unwrap();
    (here, there)
}

/// Returns the next frame that arrives at `to`, while `from` writes its queue.
fn frame(from: &Sockets, to: &Sockets) -> Vec<u8> {
    loop {
        for peer in from.peers.iter().flatten() {
            peer.flush(&mut lock(&peer.out));
        }
        match to.next(false) {
            Some(Event::Frame { bytes, .. }) => return bytes,
            Some(event) => panic!("{event:?}"),
            None => {
                let mut reader = lock(&to.reader);
                let place = 1 - to.here;
                let stream = &to.peers[place].as_ref().unwrap().stream;
                reader.read(place, stream);
            }
        }
    }
}

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index * index) as u8).collect()
}

#[test]
fn frames_of_all_lengths_arrive() {
    let (here, there) = pair();
    let lengths = [0, 1, CHUNK - 4, CHUNK, 3 * CHUNK + 5, 0, 7, 20 * CHUNK, 2];
    for length in lengths {
        here.post(1, bytes(length));
    }
    for length in lengths {
        assert!(frame(&here, &there) == bytes(length), "{length}");
    }
    for length in lengths {
        here.send(1, bytes(length));
        assert!(frame(&here, &there) == bytes(length), "{length}");
    }
}

#[test]
fn a_long_frame_is_not_copied_for_each_chunk() {
    let (here, _there) = pair();
    let mut reader = lock(&here.reader);
    let chunks = 256;
    let length = (chunks * CHUNK) as u32;
    reader.chunk[..4].copy_from_slice(&length.to_le_bytes());
    let mut moves = 0;
    for _ in 0..chunks {
        let before = reader.partial[1].capacity();
        reader.split(1, CHUNK);
        moves += u32::from(reader.partial[1].capacity() != before);
    }
    assert!(reader.events.is_empty());
    assert!(moves <= 20, "{moves} times as much room");
    reader.split(1, 4);
    let Some(Event::Frame { bytes, .. }) = reader.events.pop_front() else {
        panic!("no frame");
    };
    assert_eq!(bytes.len(), chunks * CHUNK);
    assert!(reader.partial[1].is_empty());
}

#[test]
fn a_queue_that_never_empties_keeps_no_sent_bytes() {
    let (here, there) = pair();
    let out = |here: &Sockets| {
        let peer = here.peers[1].as_ref().unwrap();
        lock(&peer.out).queue.len()
    };
    // Queue more frames than the socket accepts.
    let mut ahead = 0;
    while out(&here) < 4 * CHUNK {
        here.send(1, bytes(CHUNK));
        ahead += 1;
    }
    for _ in 0..500 {
        here.send(1, bytes(CHUNK));
        assert!(frame(&here, &there) == bytes(CHUNK));
        assert!(
            out(&here) > 0 && out(&here) < 2 * (ahead + 2) * CHUNK,
            "{}",
            out(&here)
        );
    }
    for _ in 0..ahead {
        frame(&here, &there);
    }
    assert_eq!(out(&here), 0);
}

#[test]
fn an_error_of_writing_is_a_death_for_both() {
    let (here, there) = pair();
    let stream = &here.peers[1].as_ref().unwrap().stream;
    // The other place lives and keeps its connection, but this place cannot write to that connection.
    stream.shutdown(Shutdown::Write).unwrap();
    here.send(1, vec![1]);
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send((here.next(true), there.next(true))));
    let events = receiver.recv_timeout(std::time::Duration::from_secs(20));
    let expected = (Some(Event::Down(1)), Some(Event::Down(0)));
    assert_eq!(events, Ok(expected));
}

#[test]
fn a_closed_place_is_down_for_others_after_its_last_frame() {
    let (here, there) = pair();
    here.post(1, bytes(9));
    here.close();
    assert_eq!(here.next(true), Some(Event::Closed));
    let last = Event::Frame {
        from: 0,
        bytes: bytes(9),
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send((there.next(true), there.next(true))));
    let events = receiver.recv_timeout(std::time::Duration::from_secs(20));
    assert_eq!(events, Ok((Some(last), Some(Event::Down(0)))));
    // The process of the dropped place continues to run.
    drop(here);
}
