package files

import (
	"errors"
	"fmt"
)

// openFrameFile opens a file of frames and returns what it holds. If grown is set, the
// file may have been written to when the machine stopped, and a write that was torn is
// cut off; else every byte of it is sealed.
//
// [errHeadless] says that the file was made, and that nothing was ever kept in it.
func openFrameFile(in *catalog, name string, grown bool) (ff *frameFile, v scan, err error) {
	f, err := in.folder.open(name)
	if err != nil {
		return nil, v, err
	}
	ff = &frameFile{catalog: in, name: name, f: f}
	v, err = ff.inspect(grown)
	if err == nil && v.torn {
		err = ff.cut(v)
	}
	if err == nil && grown { // what is believed from now on must be durable
		err = f.Sync()
	}
	if err != nil {
		return nil, v, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	ff.size.Store(v.end)
	in.hold(ff)
	return ff, v, nil
}

// inspect reads what the file holds, and reports what is damaged.
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
		ff.catalog.log.Error("a file has lost its end", "file", ff.name, "at", size, "bytes", s.sealed-size)
		// What comes next goes after what was there, so no frame overlaps another.
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

// harmOf says what a damage to a file of a kind means.
func harmOf(kind byte) string {
	switch kind {
	case kindDone:
		return "the log is damaged: groups that were acknowledged may be handed out again, and their IDs may be taken as new"
	case kindStates:
		return "the file of states is damaged: a state may have the value before"
	}
	return "a file of groups is damaged: its groups may be lost"
}

// sealed is how much of the file was durable, as far as is known.
func (ff *frameFile) sealed() int64 {
	known := max(fileHeadLen, ff.catalog.ends.of(ff.head.kind, ff.head.salt))
	// A file that was rewritten since the manifest was has another salt. Each of its
	// frames counts as a write of its own, so only the last one is in doubt.
	if l, ok := ff.catalog.found.files[ff.name]; ok && l.salt == ff.head.salt {
		known = max(known, l.sealed)
	}
	return known
}

// readHead reads the file's head. If it is damaged, it is made anew of what the manifest
// says.
func (ff *frameFile) readHead(size int64) (err error) {
	l, ok := ff.catalog.found.files[ff.name]
	ff.head, err = readFileHead(ff.f, kindOf(ff.name))
	if err == nil && !ff.catalog.guessed && !ff.catalog.found.knows(ff.name, ff.head.salt) {
		return errForeign
	}
	if !errors.Is(err, errHead) {
		return err
	}
	if !ok {
		if none, err := blank(ff.f, size); err != nil || none {
			return errors.Join(err, errHeadless)
		}
		if size < fileHeadLen {
			return errHeadless
		}
		return err
	}
	if err := ff.catalog.damage(ff.name, gap{0, min(size, fileHeadLen)}, "the first bytes of a file are damaged"); err != nil {
		return err
	}
	ff.head = fileHead{kindOf(ff.name), l.salt, l.next}
	_, err = ff.f.WriteAt(ff.head.encode(), 0)
	return err
}

// cut cuts off a write that was not finished, and keeps its bytes beside.
func (ff *frameFile) cut(v scan) error {
	kept, size, err := ff.catalog.keep(ff.name, gap{v.end, -1})
	if err != nil {
		return err
	}
	ff.catalog.cuts.Add(1)
	ff.catalog.log.Warn("a write that was not finished is cut off", "file", ff.name, "at", v.end, "bytes", size, "kept", kept)
	return ff.f.Truncate(v.end)
}
