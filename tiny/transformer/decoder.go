package transformer

import "fmt"

// A Decoder continues many sequences at once, one in each slot, and caches their keys and
// values for attention. Only one goroutine may use it at a time; it uses all processors
// itself. The results of a slot do not depend, in any bit, on the other slots.
type Decoder struct {
	config  Config
	epsilon float32
	keys    int // first column of the keys beside queries and values
	values  int // likewise
	turns   rotation
	net     *network // of a copy of the model
	slots   []slot
	free    []*page
	lookup  *lookup      // of the first layer; nil: too many tokens for a lookup
	rows    []decoderRow // of the current call
	shards  []shard
	pool    *workerPool
	scratch []decoderScratch // by worker of the pool
}

// A slot holds one sequence.
type slot struct {
	used   int       // tokens
	end    int32     // the last of them
	logits []float32 // of the next token; valid if used is not 0
	taken  bool      // the current call names it
	pages  []*page   // of all of its positions
	before matrix    // layer × Width: normalised stream of the last token
}

// A decoderRow is one token on its way through the layers.
type decoderRow struct {
	slot, pos int
	token     int32
	before    int32 // the preceding token; undefined at pos 0
	last      bool  // the slot needs its logits after it
}

// decoderScratch is the memory of one goroutine.
type decoderScratch struct {
	x, normed, in, qkv, mixed, hidden matrix
	square                            matrix // of a model with gates
	last, logits                      matrix
	attention                         attention
	inv                               []float32
	line                              []float32 // of a row of hidden units
}

// A Feed is tokens to append to a slot.
type Feed struct {
	Slot   int
	Tokens []int32 // one or more
}

// NewDecoder returns a decoder with empty slots, numbered from 0, for a copy of m's
// parameters, the frozen ones excepted. Each token in a slot takes 8·Layers·columns of all keys bytes. A
// vocabulary of up to 2048 tokens takes another 24·Width bytes per token.
func NewDecoder(m *Model, slots int) (*Decoder, error) {
	if slots < 1 {
		return nil, fmt.Errorf("decoder with %d slots, want one or more", slots)
	}
	c := m.config
	d := &Decoder{
		config: c, epsilon: c.epsilon(), keys: c.mixedWidth(), values: c.turnedWidth(),
		turns: newRotation(c), net: newNetwork(m), slots: make([]slot, slots),
		lookup: newLookup(c), pool: newWorkerPool(),
	}
	if c.Rank == 0 {
		d.net.model = m.Clone()
	}
	d.scratch = make([]decoderScratch, d.pool.size())
	for i := range d.scratch {
		d.scratch[i].attention.begin(c)
		d.scratch[i].line = make([]float32, c.Hidden)
	}
	for i := range d.slots {
		d.slots[i].logits = make([]float32, c.Vocab)
		if c.Rank == 0 {
			d.slots[i].before.resize(c.Layers, c.Width)
		}
	}
	return d, d.Load(m)
}

// Load copies the parameters of a model, and empties all slots: the caller must append their
// tokens again. It returns [ErrSizes] if the model has other sizes.
func (d *Decoder) Load(m *Model) error {
	if m.config != d.config {
		return fmt.Errorf("%w: %+v, want %+v", ErrSizes, m.config, d.config)
	}
	if d.config.Rank == 0 {
		copy(d.net.model.params, m.params)
		m = d.net.model
	}
	d.net.load(m, false, team{pool: d.pool}) // its own packings have the adapters
	if d.lookup != nil {
		d.lookup.forget()
	}
	for i := range d.slots {
		d.Reset(i)
	}
	return nil
}

// Do calls f for every i from 0 to n-1 on the decoder's processors, and returns when all
// calls have returned. It serves work between two steps, such as drawing from the logits,
// while the processors are awake. worker is the number of the calling goroutine, below
// [Decoder.Workers].
func (d *Decoder) Do(n int, f func(worker, i int)) { d.pool.do(n, f) }

// Workers returns the number of goroutines that the decoder uses at once.
func (d *Decoder) Workers() int { return d.pool.size() }

// Slots returns the number of slots.
func (d *Decoder) Slots() int { return len(d.slots) }

// Len returns the number of tokens in a slot.
func (d *Decoder) Len(slot int) int { return d.slots[slot].used }

// Reset empties a slot.
func (d *Decoder) Reset(slot int) {
	s := &d.slots[slot]
	for _, p := range s.pages {
		d.leave(p)
	}
	s.used, s.pages = 0, s.pages[:0]
}

// Copy gives one slot the sequence of another. They compute and store the common beginning
// once.
func (d *Decoder) Copy(to, from int) {
	if to == from {
		return
	}
	d.Reset(to)
	s, other := &d.slots[to], &d.slots[from]
	s.used, s.end = other.used, other.end
	copy(s.logits, other.logits)
	s.before.copyFrom(other.before)
	s.pages = append(s.pages, other.pages...)
	for _, p := range s.pages {
		p.refs++
	}
}

// Begin gives a slot the first n tokens of another, which may be itself. They store them once. It is for models with
// adapters: others need more of the last token than its keys and values, and Begin panics. The slot has no logits
// until it gets another token.
func (d *Decoder) Begin(to, from, n int) {
	if d.config.Rank == 0 || n > d.slots[from].used {
		panic("transformer: no such beginning")
	}
	s, pages := &d.slots[to], d.slots[from].pages[:padded(n)/lanes]
	for _, p := range pages {
		p.refs++
	}
	d.Reset(to)
	s.used, s.pages = n, append(s.pages, pages...)
}

// Logits returns the logits of a slot's next token, of length Vocab. The slice belongs to
// the decoder and is valid until the slot gets another token. Logits panics for an empty
// slot.
func (d *Decoder) Logits(slot int) []float32 {
	if d.slots[slot].used == 0 {
		panic("transformer: logits of an empty slot")
	}
	return d.slots[slot].logits
}

// Append adds tokens to a slot and returns its logits, like [Decoder.Logits].
func (d *Decoder) Append(slot int, tokens []int32) ([]float32, error) {
	if err := d.Extend(Feed{slot, tokens}); err != nil {
		return nil, err
	}
	return d.Logits(slot), nil
}

// Step adds one token to each of the given slots, tokens[i] to slots[i].
// [Decoder.Logits] then returns their logits.
func (d *Decoder) Step(slots []int, tokens []int32) error {
	if len(slots) != len(tokens) {
		return fmt.Errorf("%d slots and %d tokens", len(slots), len(tokens))
	}
	d.rows = d.rows[:0]
	for i, s := range slots {
		if err := d.add(s, tokens[i:i+1]); err != nil {
			d.drop()
			return err
		}
	}
	d.run()
	return nil
}

// Extend adds tokens to several slots at once, each named at most once: for many prompts, or
// after Load. It returns [ErrContext] if a sequence exceeds the context. After an error, no
// slot has changed.
func (d *Decoder) Extend(feeds ...Feed) error {
	d.rows = d.rows[:0]
	for _, f := range feeds {
		if err := d.add(f.Slot, f.Tokens); err != nil {
			d.drop()
			return err
		}
	}
	d.run()
	return nil
}

// add plans the rows of one slot.
func (d *Decoder) add(s int, tokens []int32) error {
	switch {
	case s < 0 || s >= len(d.slots):
		return fmt.Errorf("slot %d, but there are only %d", s, len(d.slots))
	case d.slots[s].taken:
		return fmt.Errorf("slot %d is named twice", s)
	case len(tokens) == 0:
		return fmt.Errorf("slot %d is given no tokens", s)
	case d.slots[s].used+len(tokens) > d.config.Context:
		return fmt.Errorf("slot %d: %d tokens, but the context holds %d: %w",
			s, d.slots[s].used+len(tokens), d.config.Context, ErrContext)
	}
	if err := d.config.checkTokens(tokens); err != nil {
		return fmt.Errorf("slot %d: %w", s, err)
	}
	d.slots[s].taken = true
	before := d.slots[s].end
	for i, token := range tokens {
		d.rows = append(d.rows, decoderRow{s, d.slots[s].used + i, token, before, i == len(tokens)-1})
		if d.lookup != nil {
			d.lookup.want(token)
		}
		before = token
	}
	return nil
}

// drop discards the planned rows.
func (d *Decoder) drop() {
	for _, r := range d.rows {
		d.slots[r.slot].taken = false
	}
	d.rows = d.rows[:0]
}
