package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// The manifest lists the segments in the order of writing. A segment counts only if it is listed,
// and up to the listed end; the last also beyond.
const (
	manifestName = "manifest"
	manifestHead = "quintain sessions, manifest 1\n"
)

// A listed is a line of the manifest.
type listed struct {
	number uint32
	end    int64
}

// encodeManifest returns the content of the file.
func encodeManifest(list []listed) []byte {
	var b strings.Builder
	b.WriteString(manifestHead)
	for _, l := range list {
		fmt.Fprintf(&b, "%s %d\n", segmentName(l.number), l.end)
	}
	fmt.Fprintf(&b, "sum %08x\n", sumOf([]byte(b.String())))
	return []byte(b.String())
}

// decodeManifest reads the content of the file. There is at least one segment.
func decodeManifest(b []byte) (list []listed, err error) {
	text := string(b)
	lines := strings.SplitAfter(text, "\n")
	body, sum, _ := strings.Cut(text, "\nsum ")
	whole := sum == fmt.Sprintf("%08x\n", sumOf([]byte(body+"\n")))
	if whole && strings.HasPrefix(text, "quintain sessions, ") && lines[0] != manifestHead {
		return nil, fmt.Errorf("it is a %q, and this program reads %q: use the program that wrote it", lines[0], manifestHead)
	}
	for _, line := range lines[1:max(1, len(lines)-2)] {
		l := listed{}
		if _, err := fmt.Sscanf(line, "%d"+ending+" %d\n", &l.number, &l.end); err != nil {
			return nil, damaged("no segment is listed", int64(strings.Index(text, line)))
		}
		list = append(list, l)
	}
	if len(list) == 0 || string(encodeManifest(list)) != text {
		return nil, damaged("it is not as written", 0)
	}
	return list, nil
}

// manifest reads the manifest. The list is empty in a new folder. It notes the highest number.
func (j *Journal) manifest() ([]listed, error) {
	names, err := j.folder.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if n, is := segmentNumber(name); is {
			j.number = max(j.number, n)
		}
	}
	b, err := j.folder.load(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, j.isNew(names)
	}
	if err != nil {
		return nil, err
	}
	list, err := decodeManifest(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.folder.path(manifestName), err)
	}
	return list, nil
}

// isNew returns an error if there is a segment with a frame. A crash right after the birth of the
// folder leaves an empty one.
func (j *Journal) isNew(names []string) error {
	for _, name := range names {
		if _, is := segmentNumber(name); !is {
			continue
		}
		f, size, err := j.folder.open(name)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		if size > segmentHead {
			return fmt.Errorf("%s: %w: it is missing, and %s is not: put back a copy of the folder, or move it away to begin without its sessions",
				j.folder.path(manifestName), ErrDamaged, name)
		}
	}
	return nil
}

// segmentNumber is the number of the segment with a name, if it is the name of one.
func segmentNumber(name string) (n uint32, is bool) {
	_, err := fmt.Sscanf(name, "%d"+ending, &n)
	return n, err == nil && segmentName(n) == name
}

// publish writes the manifest. The caller has the turn. If it fails, the manifest on the disk may
// be the old or the new one, and the open segment takes nothing until another one succeeds.
func (j *Journal) publish(list []*segment) error {
	lines := make([]listed, len(list))
	for i, s := range list {
		lines[i] = listed{s.number, s.size}
	}
	if err := j.folder.replace(manifestName, encodeManifest(lines)); err != nil {
		j.broken = true
		return fmt.Errorf("%s: %w", manifestName, spaceError(err))
	}
	return nil
}

// sweep removes files that the manifest on the disk, just published, does not list: the rest of
// replaced segments, and of what failed. The caller has the turn.
func (j *Journal) sweep() error {
	names, err := j.folder.names()
	if err != nil {
		return err
	}
	known := map[string]bool{manifestName: true}
	j.mu.Lock()
	for _, s := range j.segments {
		known[s.name()] = true
	}
	j.mu.Unlock()
	if j.spare != nil {
		known[j.spare.name()] = true
	}
	var errs []error
	for _, name := range names {
		_, is := segmentNumber(name)
		if (is || strings.HasPrefix(name, manifestName+".")) && !known[name] {
			errs = append(errs, j.folder.remove(name))
		}
	}
	return errors.Join(errs...)
}
