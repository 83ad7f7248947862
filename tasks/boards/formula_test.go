package boards

// A formula is a list of clauses of literals: n says that variable n is true, and -n that
// it is false. It is decided by the method of Davis, Putnam, Logemann and Loveland.
type formula struct {
	clauses [][]int
	choices [][]int // in each, one literal is true; together they have all variables
	in      [][]int // by literal plus number of variables: the clauses that contain it
	value   []int8  // by variable: 1 is true, -1 is false
	trail   []int   // the true literals, in order
}

func newFormula(variables int) *formula {
	return &formula{in: make([][]int, 2*variables+1), value: make([]int8, variables+1)}
}

func (f *formula) add(literals ...int) {
	for _, literal := range literals {
		at := literal + len(f.value) - 1
		f.in[at] = append(f.in[at], len(f.clauses))
	}
	f.clauses = append(f.clauses, literals)
}

// addOne adds the rule that exactly one of literals is true.
func (f *formula) addOne(literals []int) {
	f.choices = append(f.choices, literals)
	f.add(literals...)
	for i, a := range literals {
		for _, b := range literals[:i] {
			f.add(-a, -b)
		}
	}
}

func (f *formula) valueOf(literal int) int8 {
	if literal < 0 {
		return -f.value[-literal]
	}
	return f.value[literal]
}

// consistent makes a literal true and applies unit propagation. It reports whether no
// clause is false.
func (f *formula) consistent(literal int) bool {
	todo := []int{literal}
	for len(todo) > 0 {
		literal, todo = todo[0], todo[1:]
		switch f.valueOf(literal) {
		case 1:
			continue
		case -1:
			return false
		}
		f.value[max(literal, -literal)] = int8(literal / max(literal, -literal))
		f.trail = append(f.trail, literal)
		for _, clause := range f.in[len(f.value)-1-literal] {
			open, unit, done := 0, 0, false
			for _, other := range f.clauses[clause] {
				switch f.valueOf(other) {
				case 1:
					done = true
				case 0:
					open, unit = open+1, other
				}
			}
			if done || open > 1 {
				continue
			}
			if open == 0 {
				return false
			}
			todo = append(todo, unit)
		}
	}
	return true
}

// satisfiable reports whether the formula can be satisfied.
func (f *formula) satisfiable() bool {
	for _, clause := range f.clauses {
		if len(clause) == 1 && !f.consistent(clause[0]) {
			return false
		}
	}
	return f.search()
}

// search splits on the choice that leaves the fewest literals.
func (f *formula) search() bool {
	var best []int
	for _, choice := range f.choices {
		var open []int
		done := false
		for _, literal := range choice {
			done = done || f.valueOf(literal) == 1
			if f.valueOf(literal) == 0 {
				open = append(open, literal)
			}
		}
		if !done && (best == nil || len(open) < len(best)) {
			best = open
		}
	}
	if best == nil {
		return true
	}
	for _, literal := range best {
		mark := len(f.trail)
		if f.consistent(literal) && f.search() {
			return true
		}
		for _, undone := range f.trail[mark:] {
			f.value[max(undone, -undone)] = 0
		}
		f.trail = f.trail[:mark]
	}
	return false
}
