package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// ending is the suffix of segments' names.
const ending = ".trace"

// SegmentName is the name of the file of segment n.
func SegmentName(n int) string { return fmt.Sprintf("%06d%s", n, ending) }

// segmentNumber is the number of the segment in a file of that name; 0: the name is none of a
// segment.
func segmentNumber(name string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(name, ending))
	if err != nil || n <= 0 || SegmentName(n) != name {
		return 0
	}
	return n
}

// segmentPath returns the path of segment n of a folder.
func segmentPath(dir string, n int) string { return filepath.Join(dir, SegmentName(n)) }

// segmentNumbers lists the segments of a folder, oldest first.
func segmentNumbers(dir string) ([]int, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, file := range files {
		if n := segmentNumber(file.Name()); n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// A segment is a reader's state of one file.
type segment struct {
	source  int // number of its source in the reader
	number  int
	head    Head
	parts   []*index // one of a closed segment, else one per block
	end     int64    // read up to here, the end of an index
	closed  bool     // it has a footer
	foreign bool     // it is no segment of a known version
	damaged int      // unreadable frames
	size    int64    // of the file at the last read
}

var errForeign = errors.New("it is not a segment of a trace of a known version")

// read reads additions since the last read.
func (s *segment) read(f io.ReaderAt, size int64) error {
	s.size = size
	if s.closed || size < int64(len(magic)) {
		return nil
	}
	if s.end == 0 {
		var begin [len(magic)]byte
		if _, err := f.ReadAt(begin[:], 0); err != nil {
			return err
		}
		if string(begin[:]) != magic {
			return errForeign
		}
		if err := s.readFooter(f); err != nil || s.closed {
			return err
		}
		s.end = int64(len(magic))
	}
	err := s.follow(f)
	if errors.Is(err, io.EOF) { // a writer is cutting off a torn end
		return nil
	}
	return err
}

// footerAt finds the footer of a segment of a size; there is none if it is open.
func footerAt(f io.ReaderAt, size int64) (footer frame, there bool, err error) {
	var trailer [trailerSize]byte
	at := size - trailerSize
	if at < int64(len(magic)) {
		return footer, false, nil
	}
	if _, err := f.ReadAt(trailer[:], at); err != nil {
		return footer, false, err
	}
	if string(trailer[8:]) != trailerMagic {
		return footer, false, nil
	}
	footer, whole, err := frameAt(f, int64(binary.LittleEndian.Uint64(trailer[:])), at)
	return footer, err == nil && whole && footer.end() == at && footer.kind == kindFooter, err
}

// readFooter reads the head and footer of a closed segment. If the footer is damaged, the
// segment stays open and is read block by block.
func (s *segment) readFooter(f io.ReaderAt) error {
	footer, there, err := footerAt(f, s.size)
	if err != nil || !there {
		return err
	}
	x, err := s.readIndex(f, footer)
	if x == nil || err != nil {
		return err
	}
	s.parts, s.closed = []*index{x}, true
	head, whole, err := frameAt(f, int64(len(magic)), s.size)
	if err != nil {
		return err
	}
	if !whole || head.kind != kindHead {
		s.damaged++
		return nil
	}
	return s.readHead(f, head)
}

// readIndex reads an index, or returns nil if it is damaged. An error is the disk's.
func (s *segment) readIndex(f io.ReaderAt, at frame) (*index, error) {
	x, err := indexAt(f, at)
	if errors.Is(err, ErrDamaged) {
		s.damaged++
		return nil, nil
	}
	if x != nil {
		x.call(&s.head)
	}
	return x, err
}

// indexAt reads the index in a frame.
func indexAt(f io.ReaderAt, at frame) (*index, error) {
	payload, err := at.payload(f)
	if err != nil {
		return nil, err
	}
	return readIndex(payload, at.at)
}

// readHead reads the head, if it is not damaged.
func (s *segment) readHead(f io.ReaderAt, at frame) error {
	payload, err := at.payload(f)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	if err != nil || strictjson.Unmarshal(payload, &s.head) != nil {
		s.damaged++
	}
	for _, x := range s.parts {
		x.call(&s.head)
	}
	return nil
}

// follow reads frame by frame, up to the end or an incomplete frame.
func (s *segment) follow(f io.ReaderAt) error {
	for at := s.end; ; {
		next, whole, err := frameAt(f, at, s.size)
		if err != nil || !whole {
			return err
		}
		switch next.kind {
		case kindHead:
			err = s.readHead(f, next)
			s.end = next.end()
		case kindIndex:
			var x *index
			if x, err = s.readIndex(f, next); x != nil {
				s.parts = append(s.parts, x)
			}
			s.end = next.end()
		case kindBlock:
		default: // a footer, a kind of a later program, or damage
			if _, err = next.payload(f); errors.Is(err, ErrDamaged) {
				s.damaged, s.end, err = s.damaged+1, next.end(), nil
			} else if next.kind == kindFooter {
				s.closed = next.end()+trailerSize == s.size
				return err
			}
		}
		if err != nil {
			return err
		}
		at = next.end()
	}
}

// at is the place of the segment.
func (s *segment) at() Ref { return Ref{Segment: s.number, Source: s.source} }

// count is the number of records in the index.
func (s *segment) count() (n int) {
	for _, x := range s.parts {
		n += x.Records
	}
	return n
}

// records is the number of records in the index that are shown.
func (s *segment) records() (n int) {
	for _, x := range s.parts {
		n += x.Records - x.hides
	}
	return n
}
