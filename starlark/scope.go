package starlark

// A scope is where names are looked up: a function, or a comprehension in one.
type scope struct {
	up    *scope // nil: the top level
	owner *code  // the function in whose frame the names are
	slots map[string]int
}

// A ref is a use of a name. Where its value is gets known when the program has been read.
type ref struct {
	token
	from    *scope
	hops    int // frames to go up
	slot    int // in that frame
	builtin *builtin
}

// declare gives a name of the scope a slot, if it has none.
func (s *scope) declare(name string) {
	if _, has := s.slots[name]; !has {
		s.slots[name] = s.owner.slots
		s.owner.slots++
	}
}

// resolve finds out where the value of r is, and reports whether there is one.
func (r *ref) resolve() bool {
	for s := r.from; s != nil; s = s.up {
		if slot, has := s.slots[r.text]; has {
			r.slot = slot
			return true
		}
		if s.up != nil && s.up.owner != s.owner {
			r.hops++
		}
	}
	r.builtin = builtins[r.text]
	return r.builtin != nil
}

// A frame has the values of the names of a function that runs.
type frame struct {
	run    *run
	up     *frame // of the function around it; nil: of the top level
	slots  []value
	result value // that was returned
}

// unset is in the slots of names that have no value yet.
type unset struct{}

func newFrame(r *run, up *frame, c *code) *frame {
	f := &frame{run: r, up: up, slots: make([]value, c.slots)}
	for i := range f.slots {
		f.slots[i] = unset{}
	}
	return f
}

// owner returns the frame that has the value of r.
func (f *frame) owner(r *ref) *frame {
	for range r.hops {
		f = f.up
	}
	return f
}
