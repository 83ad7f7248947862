// Package resident gives back the pages of the program that only its start needed.
//
// Linux maps a program in windows of 64 KiB (fault_around_bytes) around whatever is read of it.
// What runs once in each of hundreds of packages, to initialise it, and what the runtime then
// looks up of it in its tables, brings nearly all of the program into memory; what it does
// afterwards needs half of that. Those pages are not lost: the system keeps them as long as it
// has room, and maps them again when they are read. Until they are given back, they count as
// memory of the process, as its limits and the out-of-memory killer see it.
package resident

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A mapping is a range of addresses.
type mapping struct{ from, to uintptr }

// pristine finds, in the text of /proc/PID/smaps, what is mapped of the file that at belongs
// to, is never written, and is as it stands in the file: not what a linker or a debugger has
// changed, which is nowhere else.
func pristine(smaps io.Reader, at uintptr) (all []mapping, err error) {
	type candidate struct {
		mapping
		file    string
		changed bool
	}
	var found []candidate
	own := ""
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		if key, is := strings.CutSuffix(name, ":"); is {
			if n := len(found); key == "Anonymous" && n > 0 && strings.TrimSpace(rest) != "0 kB" {
				found[n-1].changed = true
			}
			continue
		}
		var c candidate
		if _, err := fmt.Sscanf(name, "%x-%x", &c.from, &c.to); err != nil {
			return nil, fmt.Errorf("a line begins with %.40q, want a range of addresses", name)
		}
		fields := strings.SplitN(rest, " ", 5) // rights, offset, device, inode, file
		if len(fields) < 5 {
			return nil, fmt.Errorf("the mapping %s has %d fields, want 6", name, len(fields)+1)
		}
		if c.file = strings.TrimSpace(fields[4]); c.from <= at && at < c.to {
			own = c.file
		}
		c.changed = strings.Contains(fields[0], "w")
		found = append(found, c)
	}
	for _, c := range found {
		if c.file == own && own != "" && !c.changed {
			all = append(all, c.mapping)
		}
	}
	return all, lines.Err()
}
