//go:build heavy

package catalog_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// A network is things that have no names but what they are, and how they are connected.
type network struct {
	are   []string
	links []link
}

type link struct {
	from, to int
	kind     string
}

// add adds a thing, and links to others.
func (n *network) add(is string, links ...link) (thing int) {
	n.are = append(n.are, is)
	for _, l := range links {
		n.link(len(n.are)-1, l.to, l.kind)
	}
	return len(n.are) - 1
}

// link connects two things, which both notice.
func (n *network) link(from, to int, kind string) {
	n.links = append(n.links, link{from, to, kind + ">"}, link{to, from, kind + "<"})
}

// form describes each thing by those that it is linked to, again and again, and sorts what comes out.
func (n *network) form() string {
	now := n.are
	for range now {
		around := make([][]string, len(now))
		for _, l := range n.links {
			around[l.from] = append(around[l.from], l.kind+now[l.to])
		}
		next := make([]string, len(now))
		for i := range now {
			slices.Sort(around[i])
			next[i] = fmt.Sprintf("%x", sha256.Sum256([]byte(now[i]+strings.Join(around[i], ";"))))
		}
		before := kinds(now)
		if now = next; kinds(now) == before {
			break
		}
	}
	return strings.Join(slices.Sorted(slices.Values(now)), " ")
}

// kinds counts the different texts.
func kinds(texts []string) int { return len(slices.Compact(slices.Sorted(slices.Values(texts)))) }

// coursesForm also turns all prerequisites round.
func coursesForm(r record) string {
	var forms []string
	for _, way := range [2]int{0, 1} {
		var n network
		for range r.Courses {
			n.add("course")
		}
		for _, pair := range r.Prerequisites {
			n.link(pair[way], pair[1-way], "after")
		}
		forms = append(forms, n.form())
	}
	return slices.Min(forms)
}

// familyForm also takes women for men and men for women.
func familyForm(r record) string {
	var forms []string
	for _, swapped := range [2]bool{false, true} {
		var n network
		for _, m := range r.Members {
			n.add(fmt.Sprint(m.Female != swapped, m.Name == r.Person1, m.Name == r.Person2))
		}
		for i, m := range r.Members {
			for kind, other := range map[string]int{"spouse": m.Spouse, "father": m.Father, "mother": m.Mother} {
				if kind != "spouse" {
					kind = "parent"
				}
				if other > 0 {
					n.link(i, other-1, kind)
				}
			}
		}
		forms = append(forms, n.form())
	}
	return slices.Min(forms)
}

// logicForm makes a thing of each letter and of each part of a formula.
func logicForm(r record) string {
	var n network
	letters := map[string]int{}
	for _, premise := range r.Premises {
		parts := strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ", "¬", " ¬ ").Replace(premise))
		n.add("premise", link{to: n.formula(&parts, letters)})
	}
	return n.form()
}

// formula adds the formula at the front of parts, and takes it off them.
func (n *network) formula(parts *[]string, letters map[string]int) (thing int) {
	left := n.operand(parts, letters)
	if len(*parts) == 0 || (*parts)[0] == ")" {
		return left
	}
	sign := (*parts)[0]
	*parts = (*parts)[1:]
	right := n.operand(parts, letters)
	kind := ""
	if sign == "→" {
		kind = "if"
	}
	return n.add(sign, link{to: left, kind: kind}, link{to: right})
}

// operand is formula for what stands on one side of a sign.
func (n *network) operand(parts *[]string, letters map[string]int) (thing int) {
	first := (*parts)[0]
	*parts = (*parts)[1:]
	switch first {
	case "¬":
		return n.add("¬", link{to: n.operand(parts, letters)})
	case "(":
		thing = n.formula(parts, letters)
		*parts = (*parts)[1:] // the closing bracket
		return thing
	}
	if _, met := letters[first]; !met {
		letters[first] = n.add("letter")
	}
	return letters[first]
}
