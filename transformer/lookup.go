package transformer

// A lookup holds what the first layer makes of tokens before its attention. That depends
// on a token and the one before it alone, and is a sum of two rows: one for each. They
// are made when a token first occurs.
type lookup struct {
	own, before matrix // token × 3·Width: queries, keys and values; what the token adds to those of the next
	known       []bool // tokens that have both
	fresh       []int32
}

// lookupMost is the size of a vocabulary from which rows for all of its tokens are too many.
const lookupMost = 2048

// newLookup makes room for c, if its vocabulary is small enough.
func newLookup(c Config) *lookup {
	if c.Vocab > lookupMost {
		return nil
	}
	l := &lookup{known: make([]bool, c.Vocab)}
	l.own.resize(c.Vocab, 3*c.Width)
	l.before.resize(c.Vocab, 3*c.Width)
	return l
}

// want has a token's rows made by the next call of fill.
func (l *lookup) want(token int32) {
	if !l.known[token] {
		l.known[token] = true
		l.fresh = append(l.fresh, token)
	}
}

// forget drops all rows.
func (l *lookup) forget() {
	clear(l.known)
	l.fresh = l.fresh[:0]
}

// fill makes the rows that are wanted.
func (l *lookup) fill(d *Decoder) {
	const each = 2 * lanes // tokens of one goroutine at a time
	parallel((len(l.fresh)+each-1)/each, len(d.scratch), func(w, i int) {
		l.make(d, l.fresh[i*each:min((i+1)*each, len(l.fresh))], &d.scratch[w])
	})
	l.fresh = l.fresh[:0]
}

// make makes the rows of some tokens.
func (l *lookup) make(d *Decoder, tokens []int32, w *decoderScratch) {
	w.resize(len(tokens), d.config)
	embed, share, qkv := d.model.embed().matrix(), d.model.layer(0)[tensorShift].Data, &d.weights[2+tensorQKV]
	for i, token := range tokens {
		copy(w.x.row(i), embed.row(int(token)))
	}
	normalise(w.normed, w.x, w.inv)
	multiply(w.qkv, w.normed, qkv, false)
	for i, token := range tokens {
		copy(l.own.row(int(token)), w.qkv.row(i))
		clear(w.in.row(i))
		addProduct(w.in.row(i), w.normed.row(i), share)
	}
	multiply(w.qkv, w.in, qkv, false)
	for i, token := range tokens {
		copy(l.before.row(int(token)), w.qkv.row(i))
	}
}

// read sets qkv to what the rows say.
func (l *lookup) read(qkv matrix, rows []decoderRow) {
	for i, r := range rows {
		to := qkv.row(i)
		copy(to, l.own.row(int(r.token)))
		if r.pos > 0 {
			addScaled(to, l.before.row(int(r.before)), 1)
		}
	}
}
