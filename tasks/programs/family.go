package programs

import (
	"fmt"
	"strconv"
	"strings"
)

// mostPrograms limits a family.
const mostPrograms = 100

// A family is a program and its variants: who has learned one of them knows much of the others.
type family []*program

// readFamily reads a program and its variants. Lines between the headline and the program, such as
// "#~ x + 1 => x + 2 | x - 1", say what else may stand in place of a text of the program. A variant
// makes one choice or more: each choice of one line goes with each of another. The program is first
// in its family, as it is written; the variants have the names name.2, name.3 and so on.
func readFamily(text string) (family, error) {
	head, source, _ := strings.Cut(text, "\n")
	var lines []string
	for strings.HasPrefix(source, "#~ ") {
		var line string
		line, source, _ = strings.Cut(source, "\n")
		lines = append(lines, line[len("#~ "):])
	}
	sources := []string{source}
	for _, line := range lines {
		old, news, found := strings.Cut(line, " => ")
		if !found || !strings.Contains(source, old) {
			return nil, fmt.Errorf("%.40q: the program does not have what %q replaces", head, line)
		}
		for _, s := range sources {
			for by := range strings.SplitSeq(news, " | ") {
				sources = append(sources, strings.ReplaceAll(s, old, by))
			}
		}
	}
	if len(sources) > mostPrograms {
		return nil, fmt.Errorf("%.40q has %d programs, want at most %d", head, len(sources), mostPrograms)
	}
	first, err := readProgram(head, sources[0])
	if err != nil {
		return nil, err
	}
	f := family{first}
	for i, source := range sources[1:] {
		p := *first
		p.name += "." + strconv.Itoa(i+2)
		p.setSource(source)
		f = append(f, &p)
	}
	return f, nil
}
