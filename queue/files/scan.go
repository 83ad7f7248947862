package files

import "errors"

// A scan is the frames and the damage in a file of frames.
type scan struct {
	frames []framed
	gaps   []gap // damage to durable parts
	end    int64 // offset of the next frame to write
	torn   bool  // the bytes after end were never confirmed
}

// scan reads the heads of all frames. If deep, it also checks payloads, for a file that may
// have been growing when the machine stopped.
func (s source) scan(deep bool) (v scan, err error) {
	w := &window{ReaderAt: s.ReaderAt}
	s.ReaderAt = w
	var bad []gap
	at, batch := int64(fileHeadLen), int64(fileHeadLen)
	before := int64(-1) // offset of the frame before
	for at < s.size {
		f, err := s.frame(at)
		if errors.Is(err, errFrame) || err == nil && !s.inPlace(f, before, batch) {
			g := gap{from: at}
			if g.to, err = s.next(at + 1); err != nil {
				return v, err
			}
			g.why = w.why(g.from, g.to)
			bad, at = append(bad, g), g.to
			continue
		}
		if err != nil {
			return v, err
		}
		if deep {
			ok, err := s.whole(f)
			if err != nil {
				return v, err
			}
			if f.bad = !ok; f.bad {
				bad = append(bad, gap{f.at, f.end(), w.why(f.at, f.end())})
			}
		}
		v.frames = append(v.frames, f)
		batch, before, at = f.batch, f.at, f.end()
	}
	return s.judge(v, bad, batch), nil
}

// inPlace reports whether a frame was written at its place: otherwise it may be a copy of an
// earlier one, which must not count again. A write begins where the last one ended, and
// above the seal of that time; before and batch are the offset and the batch of the frame
// before f.
func (s source) inPlace(f framed, before, batch int64) bool {
	return f.batch <= f.at && (f.at < s.sealed || f.batch >= s.sealed) && (f.batch == batch || f.batch > before)
}

// judge ends the scan. bad are the incomplete parts, and the last write begins at batch.
//
// A write begins once the one before is durable, and sealed bytes were durable when sealed. So
// a crash can only have torn the last write, above the seal, and that was never confirmed: the
// file ends before it. All other incomplete parts were damaged later, and stay in place.
func (s source) judge(v scan, bad []gap, batch int64) scan {
	v.end = max(s.size, fileHeadLen)
	for _, g := range bad {
		from := max(g.from, s.sealed)
		if from >= g.to || from < batch && from < v.last() {
			v.gaps = append(v.gaps, g)
			continue
		}
		if g.from < from {
			v.gaps = append(v.gaps, gap{g.from, from, g.why})
		}
		v.end, v.torn = from, true
		break
	}
	for v.torn && len(v.frames) > 0 && v.last() > v.end {
		v.frames = v.frames[:len(v.frames)-1]
	}
	return v
}

// last is the end of the last frame.
func (v scan) last() int64 {
	if len(v.frames) == 0 {
		return fileHeadLen
	}
	return v.frames[len(v.frames)-1].end()
}
