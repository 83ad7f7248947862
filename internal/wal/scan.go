package wal

import "errors"

// A Scan is the frames and the damage in a file of frames.
type Scan struct {
	Frames []Found
	Gaps   []Gap // damage to durable parts
	End    int64 // offset of the next frame to write
	Torn   bool  // the bytes after End were never confirmed
}

// Scan reads the heads of all frames, and checks the payloads that end after an offset: those of
// a file that may have been growing when the machine stopped.
func (s Source) Scan(from int64) (v Scan, err error) {
	w := &Window{ReaderAt: s.ReaderAt}
	s.ReaderAt = w
	var bad []Gap
	at, batch := int64(HeadLen), int64(HeadLen)
	for at < s.Size {
		f, err := s.frame(at)
		if errors.Is(err, ErrFrame) || err == nil && (f.batch < batch || f.batch > at) {
			g := Gap{From: at}
			if g.To, err = s.next(at + 1); err != nil {
				return v, err
			}
			g.Why = w.Why(g.From, g.To)
			bad, at = append(bad, g), g.To
			continue
		}
		if err != nil {
			return v, err
		}
		if f.End() > from {
			ok, err := s.whole(f)
			if err != nil {
				return v, err
			}
			if f.Bad = !ok; f.Bad {
				bad = append(bad, Gap{f.At, f.End(), w.Why(f.At, f.End())})
			}
		}
		v.Frames = append(v.Frames, f)
		batch, at = f.batch, f.End()
	}
	return s.judge(v, bad, batch), nil
}

// judge ends the scan. bad are the incomplete parts, and the last write begins at batch.
//
// A write begins once the one before is durable, and sealed bytes were durable when sealed. So
// a crash can only have torn the last write, above the seal, and that was never confirmed: the
// file ends before it. All other incomplete parts were damaged later, and stay in place.
func (s Source) judge(v Scan, bad []Gap, batch int64) Scan {
	v.End = max(s.Size, HeadLen)
	for _, g := range bad {
		from := max(g.From, s.Sealed)
		if from >= g.To || from < batch && from < v.last() {
			v.Gaps = append(v.Gaps, g)
			continue
		}
		if g.From < from {
			v.Gaps = append(v.Gaps, Gap{g.From, from, g.Why})
		}
		v.End, v.Torn = from, true
		break
	}
	for v.Torn && len(v.Frames) > 0 && v.last() > v.End {
		v.Frames = v.Frames[:len(v.Frames)-1]
	}
	return v
}

// last is the end of the last frame.
func (v Scan) last() int64 {
	if len(v.Frames) == 0 {
		return HeadLen
	}
	return v.Frames[len(v.Frames)-1].End()
}
