package expr

// congruence reads "≡ 3 (mod 7)" after x, as the equation of x and a residue; or "(mod 7)" after
// a number, as a residue.
func (p latex) congruence(first *Node) *Node {
	residue := first
	equation := p.accept("equiv")
	if equation {
		residue = p.sum()
	}
	var modulus *Node
	switch {
	case p.accept("pmod"):
		modulus = p.short()
	case p.peek().is("(") && p.peekAt(1).is("mod"):
		p.at += 2
		modulus = p.sum()
		p.expect(")")
	case residue.Op == Apply && residue.Name == "mod": // 3 \bmod 7
		residue, modulus = residue.Args[0], residue.Args[1]
	default:
		return p.fail("follows a congruence without a modulus")
	}
	value := Call("residue", residue, modulus)
	if !equation {
		return value
	}
	return &Node{Op: Relation, Name: "=", Args: []*Node{first, value}}
}
