package files

import (
	"errors"
	"fmt"
)

// openJournal opens a file of frames and returns what it holds. If grown is set, the
// file may have been written to when the machine stopped, and a write that was torn is
// cut off; else every byte of it is sealed.
//
// [errHeadless] says that the file was made, and that nothing was ever kept in it.
func openJournal(in *site, name string, grown bool) (j *journal, v survey, err error) {
	f, err := in.folder.open(name)
	if err != nil {
		return nil, v, err
	}
	j = &journal{site: in, name: name, f: f}
	v, err = j.inspect(grown)
	if err == nil && v.torn {
		err = j.cut(v)
	}
	if err == nil && grown { // what is believed from now on must be durable
		err = f.Sync()
	}
	if err != nil {
		return nil, v, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	j.size.Store(v.end)
	in.hold(j)
	return j, v, nil
}

// inspect reads what the file holds, and reports what is damaged.
func (j *journal) inspect(grown bool) (v survey, err error) {
	size, err := j.f.Size()
	if err != nil {
		return v, err
	}
	if err := j.readHead(size); err != nil {
		return v, err
	}
	s := source{j.f, size, j.head.salt, j.sealed()}
	if s.sealed > size {
		j.site.damaged.Add(1)
		j.site.log.Error("a file has lost its end", "file", j.name, "at", size, "bytes", s.sealed-size)
		// What comes next goes after what was there, so no frame overlaps another.
		if err := j.f.Truncate(s.sealed); err != nil {
			return v, err
		}
		s.size = s.sealed
	}
	if !grown {
		s.sealed = s.size
	}
	if v, err = s.survey(grown); err != nil {
		return v, err
	}
	for _, g := range v.gaps {
		if err := j.site.damage(j.name, g, harmOf(j.head.kind)); err != nil {
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
func (j *journal) sealed() int64 {
	known := max(fileHeadLen, j.site.ends.of(j.head.kind, j.head.salt))
	// A file that was rewritten since the manifest was has another salt. Each of its
	// frames counts as a write of its own, so only the last one is in doubt.
	if l, ok := j.site.found.files[j.name]; ok && l.salt == j.head.salt {
		known = max(known, l.sealed)
	}
	return known
}

// readHead reads the file's head. If it is damaged, it is made anew of what the manifest
// says.
func (j *journal) readHead(size int64) (err error) {
	l, ok := j.site.found.files[j.name]
	j.head, err = readFileHead(j.f, kindOf(j.name))
	if err == nil && !j.site.guessed && !j.site.found.knows(j.name, j.head.salt) {
		return errForeign
	}
	if !errors.Is(err, errHead) {
		return err
	}
	if !ok {
		if none, err := blank(j.f, size); err != nil || none {
			return errors.Join(err, errHeadless)
		}
		if size < fileHeadLen {
			return errHeadless
		}
		return err
	}
	if err := j.site.damage(j.name, gap{0, min(size, fileHeadLen)}, "the first bytes of a file are damaged"); err != nil {
		return err
	}
	j.head = fileHead{kindOf(j.name), l.salt, l.next}
	_, err = j.f.WriteAt(j.head.encode(), 0)
	return err
}

// cut cuts off a write that was not finished, and keeps its bytes beside.
func (j *journal) cut(v survey) error {
	kept, size, err := j.site.keep(j.name, gap{v.end, -1})
	if err != nil {
		return err
	}
	j.site.cuts.Add(1)
	j.site.log.Warn("a write that was not finished is cut off", "file", j.name, "at", v.end, "bytes", size, "kept", kept)
	return j.f.Truncate(v.end)
}
