package transformer

// A lookup caches the queries, keys and values of the first layer. They depend only on a
// token and the one before it, and are the sum of two rows, one for each. The lookup
// computes the rows of a token at its first occurrence.
type lookup struct {
	own, before matrix // token × 3·Width: queries, keys and values; a token's share in those of the next
	known       []bool // tokens with computed rows
	fresh       []int32
}

// lookupMost is the size of the largest vocabulary with a lookup.
const lookupMost = 2048

// newLookup makes room for c, if its vocabulary is small enough.
func newLookup(c Config) *lookup {
	if c.Vocab > lookupMost || c.Rank > 0 {
		return nil
	}
	l := &lookup{known: make([]bool, c.Vocab)}
	l.own.resize(c.Vocab, 3*c.Width)
	l.before.resize(c.Vocab, 3*c.Width)
	return l
}

// want requests a token's rows from the next call of fill.
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

// fill computes the requested rows.
func (l *lookup) fill(d *Decoder) {
	const each = 2 * lanes // tokens in one goroutine's unit of work
	d.pool.do((len(l.fresh)+each-1)/each, func(w, i int) {
		l.make(d, l.fresh[i*each:min((i+1)*each, len(l.fresh))], &d.scratch[w])
	})
	l.fresh = l.fresh[:0]
}

// make computes the rows of some tokens.
func (l *lookup) make(d *Decoder, tokens []int32, w *decoderScratch) {
	w.resize(len(tokens), &d.config)
	share, qkv := d.net.layers[0].share, d.net.layers[0].qkv.w
	for i, token := range tokens {
		d.net.embed(w.x.row(i), token)
	}
	normalise(w.normed, w.x, w.inv, normEps)
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

// read sets qkv to the sums of the rows.
func (l *lookup) read(qkv matrix, rows []decoderRow) {
	for i, r := range rows {
		to := qkv.row(i)
		copy(to, l.own.row(int(r.token)))
		if r.pos > 0 {
			addScaled(to, l.before.row(int(r.before)), 1)
		}
	}
}
