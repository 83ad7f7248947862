package files

import "errors"

// A scan is what a file of frames holds.
type scan struct {
	frames []framed
	gaps   []gap // damage: parts that were durable, and are not as they were written
	end    int64 // offset at which the next frame goes
	torn   bool  // what follows the end was never confirmed
}

// scan reads the heads of all frames. With deep set, payloads are checked too, which
// is needed only for a file that may have been written to when the machine stopped.
func (s source) scan(deep bool) (v scan, err error) {
	s.ReaderAt = &window{ReaderAt: s.ReaderAt}
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
				bad = append(bad, gap{f.at, f.end()})
			}
		}
		v.frames = append(v.frames, f)
		batch, before, at = f.batch, f.at, f.end()
	}
	return s.judge(v, bad, batch), nil
}

// inPlace reports whether a frame was written where it is: what is not may be a copy of
// one before it, which must not count again. Writes begin where the one before ended, and
// above what was sealed by then; before and batch are the offset and the batch of the
// frame that precedes f.
func (s source) inPlace(f framed, before, batch int64) bool {
	return f.batch <= f.at && (f.at < s.sealed || f.batch >= s.sealed) && (f.batch == batch || f.batch > before)
}

// judge ends the scan. bad is what is not whole, and batch is where the last write
// begins.
//
// A write begins once the one before it is durable, and what is sealed was durable when
// it was sealed. So only what lies in the last write and above the seal may have been
// torn by a crash, and was never confirmed then: the file ends before it. Everything
// else that is not whole was damaged later, and stays where it is.
func (s source) judge(v scan, bad []gap, batch int64) scan {
	v.end = max(s.size, fileHeadLen)
	for _, g := range bad {
		from := max(g.from, s.sealed)
		if from >= g.to || from < batch && from < v.last() {
			v.gaps = append(v.gaps, g)
			continue
		}
		if g.from < from {
			v.gaps = append(v.gaps, gap{g.from, from})
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
