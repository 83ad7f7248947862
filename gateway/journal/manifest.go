package journal

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/wal"
)

// The manifest lists the segments in the order of writing. A segment counts only if it is listed,
// and up to the listed end; the last also beyond.
const (
	manifestName = "manifest"
	manifestHead = "quintain sessions, manifest 2"
)

// A listed is a line of the manifest.
type listed struct {
	number uint32
	end    int64
}

// encodeManifest returns the content of the file.
func encodeManifest(list []listed) []byte {
	b := []byte(manifestHead + "\n")
	for _, l := range list {
		b = fmt.Appendf(b, "%s %d\n", segmentName(l.number), l.end)
	}
	return wal.WithSum(b)
}

// decodeManifest reads the content of the file. There is at least one segment.
func decodeManifest(b []byte) (list []listed, err error) {
	lines, ok := wal.CutSum(b)
	switch {
	case ok && strings.HasPrefix(lines[0], "quintain sessions, ") && lines[0] != manifestHead:
		return nil, fmt.Errorf("it is a %q, and this program reads %q: use the program that wrote it, or move the folder away to begin without its sessions", lines[0], manifestHead)
	case !ok || lines[0] != manifestHead:
		return nil, damaged("it is not as written", 0)
	}
	for _, line := range lines[1:] {
		l := listed{}
		_, _ = fmt.Sscanf(line, "%d"+ending+" %d", &l.number, &l.end)
		list = append(list, l)
	}
	if len(list) == 0 || !bytes.Equal(encodeManifest(list), b) {
		return nil, damaged("it is not as written", 0)
	}
	return list, nil
}

// manifest reads the manifest. The list is empty in a new folder. It notes the files, and the
// highest number.
func (j *Journal) manifest() ([]listed, error) {
	var err error
	if j.names, err = j.folder.Names(); err != nil {
		return nil, err
	}
	for _, name := range j.names {
		if n, ok := segmentNumber(name); ok {
			j.number = max(j.number, n)
		}
	}
	if !slices.Contains(j.names, manifestName) {
		return nil, j.isNew()
	}
	b, err := wal.ReadFile(j.folder, manifestName)
	if err != nil {
		return nil, err
	}
	list, err := decodeManifest(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.path(manifestName), err)
	}
	return list, nil
}

// isNew returns an error if there is a segment with a frame. A crash right after the birth of the
// folder leaves an empty one.
func (j *Journal) isNew() error {
	for _, name := range j.names {
		if _, ok := segmentNumber(name); !ok {
			continue
		}
		b, err := wal.ReadFile(j.folder, name)
		if err != nil {
			return err
		}
		if len(b) > wal.HeadLen {
			return fmt.Errorf("%s: %w: it is missing, and %s is not: put back a copy of the folder, or move it away to begin without its sessions",
				j.path(manifestName), ErrDamaged, name)
		}
	}
	return nil
}

// segmentNumber is the number of the segment with a name, if it is the name of one.
func segmentNumber(name string) (n uint32, ok bool) {
	_, err := fmt.Sscanf(name, "%d"+ending, &n)
	return n, err == nil && segmentName(n) == name
}

// publish writes the manifest. The caller has the turn. If it fails, the manifest on the disk may
// be the old or the new one, and the open segment takes nothing until another one succeeds.
func (j *Journal) publish(list []*segment) error {
	lines := make([]listed, len(list))
	for i, s := range list {
		lines[i] = listed{s.number, s.Size()}
	}
	if err := wal.Replace(j.folder, manifestName, encodeManifest(lines)); err != nil {
		err = fmt.Errorf("%s: %w", manifestName, spaceError(err))
		j.last().Break(err)
		return err
	}
	return nil
}

// sweep removes files that the manifest on the disk, just published, does not list: the rest of
// replaced segments, and of what failed. The caller has the turn.
func (j *Journal) sweep() error {
	names, err := j.folder.Names()
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
		_, ok := segmentNumber(name)
		if (ok || strings.HasPrefix(name, manifestName+".")) && !known[name] {
			errs = append(errs, j.folder.Remove(name))
		}
	}
	return errors.Join(errs...)
}
