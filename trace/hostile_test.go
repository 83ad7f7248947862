package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// payloadOf makes the payload of a block of one record.
func payloadOf(text string, tokens, logProbs int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 1)
	for _, n := range []int{len(text), tokens, logProbs} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = append(b, text...)
	b = appendColumn(b, make([]int64, tokens))
	return appendColumn(b, make([]int64, logProbs))
}

// TestHostileRecordsAreRefused decodes records that no writer writes. None may take much
// memory.
func TestHostileRecordsAreRefused(t *testing.T) {
	turn := func(fields string) string { return `{"episodes":[{"turns":[{` + fields + `}]}]}` }
	for _, test := range []struct {
		why  string
		data []byte
		want string
	}{
		{"no JSON", payloadOf("{", 0, 0), "the JSON ends too early"},
		{"more tokens than there are", payloadOf(turn(`"wrote":2`), 1, 0), "has 2 tokens or log-probabilities, but only 1 are left"},
		{"less than none", payloadOf(turn(`"logprobs":-1`), 0, 0), "has -1"},
		{"tokens that no turn has", payloadOf(turn(`"wrote":1`), 2, 0), "1 token and 0 log-probabilities belong to no turn"},
		{"a first turn that refers to itself", payloadOf(turn(`"opening":true`), 0, 0), "the first turn refers to itself"},
		{"a run without a value", payloadOf(turn(`"versions":[1]`), 0, 0), "a run has no value"},
		{"a run of nothing", payloadOf(turn(`"versions":[0,1]`), 0, 0), "a run has length 0"},
		{"a negative run", payloadOf(`{"advantages":[[-1e300,1]]}`, 0, 0), "a run has length -1e+300"},
		{"a run of two billion", payloadOf(turn(`"versions":[2147483647,1]`), 0, 0), "a run has length 2147483647"},
		{"a run of a million", payloadOf(turn(`"versions":[1000000,1]`), 0, 0), "has 1000000 versions and advantages"},
		{"a call that continues itself", payloadOf(turn(`"call":{"id":"a","parent":0}`), 0, 0), "the parent of turn 0 is 0"},
		{"a call that continues nothing", payloadOf(turn(`"call":{"id":"a","parent":-2}`), 0, 0), "the parent of turn 0 is -2"},
		{"many runs", payloadOf(`{"advantages":[[60000,1,60000,1]]}`, 0, 0), "has 120000 versions and advantages"},
	} {
		u, err := unpack(test.data)
		if err == nil {
			_, err = u.record(0)
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.why, err, test.want)
		}
	}
}

func TestHostileBlocksAreRefused(t *testing.T) {
	good := payloadOf("{}", 2, 1)
	if _, err := unpack(good); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if _, err := unpack(good[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if _, err := unpack(append(good, 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte too many: %v", err)
	}
	for _, at := range []int{0, 4, 8, 12} {
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad[at:], math.MaxUint32)
		if _, err := unpack(bad); !errors.Is(err, ErrDamaged) {
			t.Errorf("four billion at %d: %v", at, err)
		}
	}
}

func TestHostileIndexesAreRefused(t *testing.T) {
	index := func(head string, rows int) []byte {
		b := append(binary.LittleEndian.AppendUint32(nil, uint32(len(head))), head...)
		for range colSpread {
			b = appendColumn(b, make([]int64, rows))
		}
		return b
	}
	if x, err := readIndex(index(`{"records":2,"texts":["a"],"blocks":[[20,2]]}`, 2), 1000); err != nil || x.text(colTask, 1) != "a" {
		t.Fatalf("%+v, error %v", x, err)
	}
	if x, err := readIndex(index(`{"records":1,"texts":["a"],"blocks":[[20,1]]}`, 1), 1000); err != nil || x.entry(0, 0, Ref{Segment: 1}).Spread != nil {
		t.Errorf("an index of an older program has a spread, or %v", err)
	}
	for _, test := range []struct {
		why  string
		data []byte
	}{
		{"nothing", nil},
		{"no JSON", index(`{`, 0)},
		{"records that are not there", index(`{"records":3,"blocks":[[20,3]]}`, 2)},
		{"a negative number of records", index(`{"records":-1}`, 0)},
		{"records without a block", index(`{"records":2}`, 2)},
		{"blocks with too many records", index(`{"records":2,"blocks":[[20,3]]}`, 2)},
		{"a block with a negative number of records", index(`{"records":2,"blocks":[[20,3],[30,-1]]}`, 2)},
		{"blocks out of order", index(`{"records":2,"blocks":[[30,1],[20,1]]}`, 2)},
		{"a block beyond the file", index(`{"records":2,"blocks":[[1000,2]]}`, 2)},
		{"extra bytes", append(index(`{"records":2,"blocks":[[20,2]]}`, 2), 0)},
		{"a spread of fewer records", index(`{"records":2,"blocks":[[20,2]],"spread":"AAAAAAAAAAABAA=="}`, 2)},
		{"a spread of more records", index(`{"records":1,"blocks":[[20,1]],"spread":"AAAAAAAAAAABAAA="}`, 1)},
		{"a head beyond the end", []byte{200, 0, 0, 0, '{', '}'}},
	} {
		if _, err := readIndex(test.data, 1000); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", test.why, err)
		}
	}
	x, err := readIndex(index(`{"records":1,"blocks":[[20,1]]}`, 1), 1000)
	if err != nil || x.entry(0, 0, Ref{Segment: 1}).Task != "" {
		t.Errorf("a text that is not there: %+v, error %v", x, err)
	}
}

// TestTrailerOfNoFooter points the trailer to the index of a block.
func TestTrailerOfNoFooter(t *testing.T) {
	whole, ends := cutSegment(t, slims(9))
	index := ends[1]
	block, _, err := frameAt(bytes.NewReader(whole), index, int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	file := appendTrailer(bytes.Clone(whole[:ends[2]]), block.end())
	var s segment
	if err := s.read(bytes.NewReader(file), int64(len(file))); err != nil || s.records() != 9 || s.closed {
		t.Errorf("%d records, closed: %v, error %v", s.records(), s.closed, err)
	}
}

func TestWhatInflatesWithoutEndIsRefused(t *testing.T) {
	p := newPacker()
	p.begin()
	p.put(make([]byte, 1<<20))
	bomb := p.end()
	if all, err := inflate(bomb, 1<<20); err != nil || len(all) != 1<<20 {
		t.Errorf("%d bytes, error %v", len(all), err)
	}
	if _, err := inflate(bomb, 1<<20-1); err == nil {
		t.Error("more than is allowed: taken")
	}
}

func TestRecordsThatNoReaderTakesAreRefused(t *testing.T) {
	b := block{tokens: make([]quintain.Token, maxPayload/4)} // untouched memory
	err := b.add(newSpecimen().small(0))
	if want := fmt.Sprintf("takes more than %d MiB", maxPayload>>20); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
