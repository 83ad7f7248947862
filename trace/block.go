package trace

import (
	"encoding/binary"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// A block is records that are being gathered: what JSON says of them, one after another,
// and the columns of their tokens and log-probabilities.
type block struct {
	text     jsonText
	tokens   []quintain.Token
	logProbs []uint32 // their bits
	shares   []share
	index    rows
}

// A share is how much of a block is of one record.
type share struct {
	json     int // bytes
	tokens   int
	logProbs int
}

const shareSize = 12 // bytes of a share in a payload

// fits reports more runs than a reader takes: it makes no large lists of a few bytes.
func (s share) fits(runs int) error {
	if most := 1<<16 + 64*(s.json+s.tokens); runs > most {
		return fmt.Errorf("has %d versions and advantages, at most %d go with its %d tokens", runs, most, s.tokens)
	}
	return nil
}

// size is what the block takes before it is deflated.
func (b *block) size() int {
	return 4 + 2*columnHead + shareSize*len(b.shares) + len(b.text.b) + 4*len(b.tokens) + 4*len(b.logProbs)
}

// reset empties the block. Large memory is given back.
func (b *block) reset() {
	if b.size() > 4<<20 {
		*b = block{}
		return
	}
	*b = block{
		text: jsonText{b: b.text.b[:0]}, tokens: b.tokens[:0], logProbs: b.logProbs[:0], shares: b.shares[:0],
		index: rows{list: b.index.list[:0]},
	}
}

// add adds a record: all of it, or nothing and an error that names the field.
func (b *block) add(r *Record) error {
	was := share{len(b.text.b), len(b.tokens), len(b.logProbs)}
	e := encoder{block: b, record: r, group: r.Group()}
	e.encode()
	is := share{len(b.text.b) - was.json, len(b.tokens) - was.tokens, len(b.logProbs) - was.logProbs}
	err := b.text.err
	if err == nil {
		err = is.fits(e.runs)
	}
	if err == nil && b.size() > maxPayload {
		err = fmt.Errorf("takes more than %d MiB", maxPayload>>20)
	}
	if err != nil {
		b.text = jsonText{b: b.text.b[:was.json]}
		b.tokens, b.logProbs = b.tokens[:was.tokens], b.logProbs[:was.logProbs]
		return fmt.Errorf("group %s: %w", e.group, err)
	}
	b.shares = append(b.shares, is)
	b.index.add(entryOf(r, e.group))
	return nil
}

// pack returns the payload of the block's frame.
func (b *block) pack(p *packer) []byte {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(b.shares)))
	for _, s := range b.shares {
		for _, n := range []int{s.json, s.tokens, s.logProbs} {
			head = binary.LittleEndian.AppendUint32(head, uint32(n))
		}
	}
	least := quintain.Token(0)
	for _, t := range b.tokens {
		least = min(least, t)
	}
	p.begin()
	p.put(head)
	p.put(b.text.b)
	putColumn(p, b.tokens, int64(least), p.alike)
	putColumn(p, b.logProbs, 0, p.noise)
	return p.end()
}
