structure Old = struct fun length l = VectorExtra.length (VectorExtra.unsafeFromArray (Array.fromList l)) end
