package expr

// boldI names i in bold type: a unit vector, or the imaginary unit.
const boldI = "bold i"

// A brackets reads what stands in brackets, and sets of numbers.
type brackets struct{ *parser }

// set reads the members of a set.
func (p brackets) set() *Node {
	p.at++
	p.bars = 0
	if p.accept("set}") {
		return New(Set)
	}
	if p.peek().kind == kBegin { // a brace before a system of equations
		if system := p.primary(); !p.accept("set}") {
			return system
		}
		return p.fail("closes a set that is a table")
	}
	if p.described() {
		condition := p.list()
		p.expect("set}")
		return condition
	}
	members, _ := p.members()
	p.expect("set}")
	return New(Set, members...)
}

// described skips the variable and the bar of a set with a condition, as in {x | x > 3} or
// {x ∈ ℝ : x > 3}, and reports whether there are any.
func (p brackets) described() bool {
	n := 1
	if p.peekAt(1).is("in") && p.peekAt(2).kind == kSymbol && p.peekAt(2).text == "set R" {
		n = 3
	}
	if p.peek().kind != kSymbol || !p.peekAt(n).is(":") && !p.peekAt(n).is("|") && !p.peekAt(n).is("mid") {
		return false
	}
	p.at += n + 1
	return true
}

// angled reads the members of a vector between angle brackets.
func (p brackets) angled(end string) *Node {
	p.at++
	p.bars = 0
	members := []*Node{p.sum()}
	for p.accept(",") || p.accept(";") {
		members = append(members, p.sum())
	}
	p.expect(end)
	return &Node{Op: Tuple, Name: "<>", Args: members}
}

// maxCells bounds the tokens of a matrix written as nested lists, and of a row without commas.
const maxCells = 2000

// nested reports whether each member since a token is a list in square brackets, and all are of
// one length, so that they are the rows of a matrix.
func (p brackets) nested(start int, members []*Node) bool {
	end := p.at - 1 // the closing bracket
	if p.err != nil || !p.tokens[start].is("[") || !p.tokens[end-1].is("]") || end-start > maxCells {
		return false
	}
	for _, m := range members {
		if row := rowOf(m); row == nil || len(row.Args) != len(rowOf(members[0]).Args) {
			return false
		}
	}
	depth := 0
	for i, t := range p.tokens[start:end] {
		switch {
		case t.is("[") || t.is("(") || t.is("{"):
			depth++
		case t.is("]") || t.is(")") || t.is("}"):
			depth--
		case t.is(",") && depth == 0 && !(p.tokens[start+i-1].is("]") && p.tokens[start+i+1].is("[")):
			return false
		}
	}
	return true
}

// rowOf returns the row of a matrix; nil if n is not in brackets.
func rowOf(n *Node) *Node {
	switch {
	case n.Op == Tuple && n.Name == "[]":
		return New(List, n.Args...)
	case n.Paren:
		return New(List, n)
	}
	return nil
}

func matrixOf(members []*Node) *Node {
	m := New(Matrix)
	for _, member := range members {
		m.Args = append(m.Args, rowOf(member))
	}
	return m
}

// spacedRow reads numbers or variables with only spaces between them in brackets with the
// exponent T; nil if there are none.
func (p brackets) spacedRow() *Node {
	end := p.at + 1
	for {
		t := p.tokens[end]
		if t.kind != kNumber && t.kind != kSymbol && !t.is("-") || end > p.at+1 && !t.spaced && !p.tokens[end-1].is("-") {
			break
		}
		end++
	}
	if end < p.at+3 || !p.tokens[end].is(")") && !p.tokens[end].is("]") || !p.transposed(end+1) {
		return nil
	}
	row := &Node{Op: Tuple, Name: "()"}
	for p.at++; p.at < end && p.err == nil; {
		if p.accept("-") {
			row.Args = append(row.Args, New(Neg, p.primary()))
		} else {
			row.Args = append(row.Args, p.primary())
		}
	}
	p.at++
	return row
}

// transposed reports whether the exponent T stands at a token.
func (p brackets) transposed(at int) bool {
	next := func(n int) token { return p.tokens[min(at+n, len(p.tokens)-1)] }
	isT := func(t token) bool { return t.kind == kSymbol && t.text == "T" }
	return next(0).is("^") && (isT(next(1)) || next(1).is("{") && isT(next(2)) && next(3).is("}"))
}

// numberSet returns a set of numbers such as ℝ, with its signs: ℝ⁺ is (0, ∞).
func (p brackets) numberSet(name string) *Node {
	set := &Node{Op: Named, Name: name}
	t := p.peek()
	if !t.is("^") && !t.is("_") {
		return set
	}
	sign := ""
	start := p.at
	p.at++
	if p.accept("{") {
		for !p.peek().is("}") && p.peek().kind != kEnd && len(sign) < 8 {
			sign += p.take().text
		}
		p.expect("}")
	} else {
		sign = p.take().text
	}
	zero, inf := Int(0), &Node{Op: Constant, Name: "inf"}
	interval := func(brackets string, low, high *Node) *Node {
		return &Node{Op: Tuple, Name: brackets, Args: []*Node{low, high}}
	}
	switch {
	case name != "R" && (sign == "+" || sign == ">0"):
		return &Node{Op: Named, Name: name + "+"}
	case name != "R" || p.err != nil:
	case sign == "+" || sign == ">0" || sign == "++":
		return interval("()", zero, inf)
	case sign == "-" || sign == "<0":
		return interval("()", New(Neg, inf), zero)
	case sign == ">=0":
		return interval("[)", zero, inf)
	case sign == "<=0":
		return interval("(]", New(Neg, inf), zero)
	case sign == "*" || sign == "!=0":
		return &Node{Op: Combine, Name: "minus", Args: []*Node{set, New(Set, zero)}}
	case t.is("^"):
		return &Node{Op: Named, Name: name + "^" + sign}
	}
	p.at = start
	return p.fail("follows the set %s", name)
}
