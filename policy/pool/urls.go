package pool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/pause"
)

// The limits of a file of addresses.
const (
	maxFile = 1 << 20 // bytes
	maxURLs = 4096
)

// addresses returns urls and the addresses in file, if file is not empty, each once.
func addresses(urls []string, file string) ([]string, error) {
	urls = slices.Clone(urls)
	if file != "" {
		more, err := readURLs(file)
		if err != nil {
			return nil, err
		}
		urls = append(urls, more...)
	}
	var once []string
	for _, url := range urls {
		if !slices.Contains(once, url) {
			once = append(once, url)
		}
	}
	if len(once) > maxURLs {
		return nil, fmt.Errorf("%d addresses, want at most %d", len(once), maxURLs)
	}
	return once, nil
}

// readURLs reads a file of addresses.
func readURLs(path string) (urls []string, err error) {
	text, err := jsonl.ReadText(path, maxFile)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			urls = append(urls, line)
		}
	}
	return urls, nil
}

// reread reads the file of addresses again, drains the servers that it dropped, and returns
// the new ones. If the file is unreadable, all servers stay.
func (p *Pool[C]) reread() (came []*member[C]) {
	if p.cfg.File == "" {
		return nil
	}
	urls, err := addresses(p.cfg.URLs, p.cfg.File)
	if err != nil {
		p.log.Warn("the file of servers cannot be read; they stay as they are", "err", err)
		return nil
	}
	p.change(func() {
		for _, m := range slices.Clone(p.members) {
			p.keep(m, slices.Contains(urls, m.url))
		}
		for _, url := range urls {
			if slices.ContainsFunc(p.members, func(m *member[C]) bool { return m.url == url }) {
				continue
			}
			m, err := p.join(url)
			if err != nil {
				p.log.Warn("an address in the file of servers is left out", "url", url, "err", err)
				continue
			}
			p.members, came = append(p.members, m), append(came, m)
		}
	})
	return came
}

// keep drains m, or puts it back to use.
func (p *Pool[C]) keep(m *member[C], wanted bool) {
	switch {
	case wanted && m.state == Draining:
		m.state, m.outages = Down, 0
		m.awake()
	case !wanted && m.state != Draining:
		p.log.Info("a server drains: its address has gone", "url", m.url, "under_way", m.underWay)
		m.state = Draining
		p.retire(m)
	}
}

// retire removes m from the pool once it has drained.
func (p *Pool[C]) retire(m *member[C]) {
	if m.state != Draining || m.underWay > 0 || pause.Closed(m.gone) {
		return
	}
	close(m.gone)
	m.client.CloseIdle()
	p.members = slices.DeleteFunc(p.members, func(other *member[C]) bool { return other == m })
}
