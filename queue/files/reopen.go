package files

import (
	"errors"
	"fmt"
)

// openFrameFile opens and scans a file of frames. If it may have grown since the last seal,
// a torn write at its end is cut off; else every byte of it is sealed.
//
// [errHeadless] says that the file was made, but never held anything.
func openFrameFile(in *catalog, name string, grown bool) (ff *frameFile, v scan, err error) {
	f, err := in.folder.open(name)
	if err != nil {
		return nil, v, err
	}
	ff = &frameFile{catalog: in, name: name, f: f}
	if v, err = ff.restore(grown); err != nil {
		return nil, v, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	ff.gaps = v.gaps
	ff.size.Store(v.end)
	in.hold(ff)
	return ff, v, nil
}

// restore scans the file, cuts off a torn write, and makes the rest durable.
func (ff *frameFile) restore(grown bool) (v scan, err error) {
	if v, err = ff.inspect(grown); err != nil {
		return v, err
	}
	if v.torn {
		if err := ff.cut(v); err != nil {
			return v, err
		}
	}
	if !grown {
		return v, nil
	}
	return v, ff.f.Sync() // trusted from now on, so it must be durable
}

// inspect scans the file and reports damage.
func (ff *frameFile) inspect(grown bool) (v scan, err error) {
	size, err := ff.f.Size()
	if err != nil {
		return v, err
	}
	if err := ff.readHead(size); err != nil {
		return v, err
	}
	s := source{ff.f, size, ff.head.salt, ff.sealed()}
	if s.sealed > size {
		ff.catalog.damaged.Add(1)
		ff.catalog.log.Error("a file has lost its end", "file", ff.name, "at", size, "bytes", s.sealed-size, "remedy", remedy)
		// New frames go after the lost end, so none overlaps another.
		if err := ff.f.Truncate(s.sealed); err != nil {
			return v, err
		}
		s.size = s.sealed
	}
	if !grown {
		s.sealed = s.size
	}
	if v, err = s.scan(grown); err != nil {
		return v, err
	}
	for _, g := range v.gaps {
		if err := ff.catalog.damage(ff.name, g, harmOf(ff.head.kind)); err != nil {
			return v, err
		}
	}
	return v, nil
}

// harmOf describes the effect of damage to a file of a kind.
func harmOf(kind byte) string {
	switch kind {
	case kindDone:
		return "the log is damaged: groups that were acknowledged may be handed out again, and their IDs may be taken as new"
	case kindStates:
		return "the file of states is damaged: a state may have its previous value"
	}
	return "a file of groups is damaged: its groups may be lost"
}

// sealed is the known durable size of the file.
func (ff *frameFile) sealed() int64 {
	known := max(fileHeadLen, ff.catalog.ends.of(ff.head.kind, ff.head.salt))
	// A file rewritten after the manifest has another salt. Each of its frames counts as a
	// write of its own, so only the last is in doubt.
	if l, ok := ff.catalog.found.files[ff.name]; ok && l.salt == ff.head.salt {
		known = max(known, l.sealed)
	}
	return known
}

// readHead reads the file's header, or restores a damaged one from the manifest.
func (ff *frameFile) readHead(size int64) (err error) {
	l, ok := ff.catalog.found.files[ff.name]
	ff.head, err = readFileHead(ff.f, kindOf(ff.name))
	if err == nil && !ff.catalog.guessed && !ff.catalog.found.knows(ff.name, ff.head.salt) {
		return errForeign
	}
	if unreadable(err) && ok {
		ff.head = fileHead{kindOf(ff.name), l.salt, l.next} // not written: the disk may read the old bytes again
		return ff.catalog.damage(ff.name, gap{0, min(size, fileHeadLen), err}, "the first bytes of a file cannot be read")
	}
	if !errors.Is(err, errHead) {
		return err
	}
	if !ok {
		if none, err := blank(ff.f, size); err != nil {
			return err
		} else if none {
			return errHeadless
		}
		if size < fileHeadLen {
			return errHeadless
		}
		return err
	}
	if err := ff.catalog.damage(ff.name, gap{to: min(size, fileHeadLen)}, "the first bytes of a file are damaged"); err != nil {
		return err
	}
	ff.head = fileHead{kindOf(ff.name), l.salt, l.next}
	_, err = ff.f.WriteAt(ff.head.encode(), 0)
	return err
}

// cut cuts off an unfinished write, and saves its bytes beside.
func (ff *frameFile) cut(v scan) error {
	kept, size, err := ff.catalog.keep(ff.name, gap{from: v.end, to: -1})
	if err != nil {
		return err
	}
	ff.catalog.cuts.Add(1)
	ff.catalog.log.Warn("an unfinished write is cut off", "file", ff.name, "at", v.end, "bytes", size, "kept", kept)
	return ff.f.Truncate(v.end)
}
