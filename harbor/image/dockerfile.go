package image

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An instruction is one of a Dockerfile.
type instruction struct {
	line   int
	word   string // in capitals
	text   string // what follows, in one line
	flags  bool   // it has some
	inline bool   // it has heredocs
	end    int    // byte of the file after it
}

// maxDockerfile bounds a Dockerfile, in bytes.
const maxDockerfile = 1 << 20

// parseDockerfile takes a Dockerfile apart. It knows as much as is needed to tell instructions apart: lines that go on, comments, heredocs.
func parseDockerfile(text []byte) (all []instruction, err error) {
	if len(text) > maxDockerfile {
		return nil, fmt.Errorf("it has more than %s", Bytes(maxDockerfile))
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	at, number := 0, 0
	next := func() string {
		line := string(lines[0])
		lines, at, number = lines[1:], at+len(line), number+1
		return strings.TrimRight(line, "\r\n")
	}
	for len(lines) > 0 {
		in := instruction{line: number + 1}
		line, more := goesOn(next())
		if isRemark(line) {
			continue
		}
		for more && len(lines) > 0 {
			var part string
			if part, more = goesOn(next()); isRemark(part) {
				more = true
				continue
			}
			line += part
		}
		var rest string
		in.word, rest, _ = strings.Cut(strings.TrimSpace(line), " ")
		if word, after, tab := strings.Cut(in.word, "\t"); tab {
			in.word, rest = word, after+" "+rest
		}
		in.word, in.text = strings.ToUpper(in.word), strings.TrimSpace(rest)
		in.flags = strings.HasPrefix(in.text, "--")
		for _, end := range heredocs(in) {
			in.inline = true
			for len(lines) > 0 && strings.TrimLeft(next(), "\t") != end {
			}
		}
		in.end = at
		all = append(all, in)
	}
	if !slices.ContainsFunc(all, func(in instruction) bool { return in.word == "FROM" }) {
		return nil, errors.New("it has no FROM")
	}
	return all, nil
}

// goesOn reports whether the next line belongs to a line, which it returns without the sign for that.
func goesOn(line string) (string, bool) {
	trimmed := strings.TrimRight(line, " \t")
	if short, ok := strings.CutSuffix(trimmed, "\\"); ok {
		return short, true
	}
	return line, false
}

// isRemark reports whether a line is a comment, or empty.
func isRemark(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

var heredoc = compiled.Regexp(`(?:^|\s)\d*<<-?(["']?)([A-Za-z0-9_.]+)(["']?)`)

// heredocs returns the lines that end the texts which follow an instruction.
func heredocs(in instruction) (ends []string) {
	if in.word != "RUN" && in.word != "COPY" && in.word != "ADD" {
		return nil
	}
	for _, m := range heredoc().FindAllStringSubmatch(in.text, -1) {
		if m[1] == m[3] {
			ends = append(ends, m[2])
		}
	}
	return ends
}

// ours reports whether we do an instruction ourselves.
func (in instruction) ours() bool {
	odd := strings.Contains(variable().ReplaceAllString(in.text, ""), "${") // another form than expand knows
	switch in.word {
	case "COPY":
		return !in.flags && !in.inline && !odd
	case "WORKDIR", "ENV", "USER", "EXPOSE", "LABEL", "CMD", "ENTRYPOINT", "MAINTAINER", "STOPSIGNAL":
		return !odd
	}
	return false
}

// A recipe is a Dockerfile in two parts: what a builder must do, and the last instructions, which we do.
type recipe struct {
	base   string        // name of the image in FROM, if the first part has nothing else; else empty
	prefix []byte        // the first part
	copies bool          // it uses files of the folder
	last   []instruction // the second part
}

var escapeDirective = compiled.Regexp(`(?mi)^\s*#\s*escape\s*=`)

// divide divides a Dockerfile.
func divide(text []byte) (r recipe, err error) {
	all, err := parseDockerfile(text)
	if err != nil {
		return r, err
	}
	n := len(all)
	arg := slices.ContainsFunc(all, func(in instruction) bool { return in.word == "ARG" || in.word == "ONBUILD" })
	for n > 0 && all[n-1].ours() && !escapeDirective().Match(text) {
		if arg && strings.Contains(all[n-1].text, "$") {
			break // it may stand for an argument
		}
		n--
	}
	if n == 0 {
		return r, errors.New("its first instruction is not FROM")
	}
	r.prefix, r.last = text[:all[n-1].end], all[n:]
	r.copies = slices.ContainsFunc(all[:n], func(in instruction) bool {
		return in.word == "COPY" || in.word == "ADD" || in.word == "RUN" && in.flags
	})
	if words := strings.Fields(all[n-1].text); n == 1 && !all[0].flags && len(words) > 0 && !strings.Contains(words[0], "$") && words[0] != "scratch" {
		r.base = words[0]
	}
	return r, nil
}

// literal stands for a dollar sign that names no variable.
const literal = "\x00"

// words splits the text of an instruction at spaces, but not in quotation marks, which it removes, as it does backslashes.
func words(text string) (all []string, err error) {
	var word strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(text) && (quote == 0 || strings.IndexByte("\"$\\", text[i+1]) >= 0):
			i++
			word.WriteString(strings.ReplaceAll(text[i:i+1], "$", literal))
			open = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t'):
			if open {
				all = append(all, word.String())
			}
			word.Reset()
			open = false
		case c == '$' && quote == '\'':
			word.WriteString(literal)
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		all = append(all, word.String())
	}
	if quote != 0 {
		return nil, fmt.Errorf("a quotation mark, %c, is not closed", quote)
	}
	return all, nil
}

// one reads the text of an instruction that has one argument.
func one(text string, env []string) (string, error) {
	all, err := words(text)
	return expand(strings.Join(all, " "), env), err
}

var variable = compiled.Regexp(`\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:[-+])([^}$]*))?\})`)

// expand puts the values of variables into a text.
func expand(text string, env []string) string {
	text = variable().ReplaceAllStringFunc(text, func(match string) string {
		m := variable().FindStringSubmatch(match)
		value := lookup(env, m[1]+m[2])
		switch {
		case m[3] == ":-" && value == "", m[3] == ":+" && value != "":
			return m[4]
		case m[3] == ":+":
			return ""
		}
		return value
	})
	return strings.ReplaceAll(text, literal, "$")
}

// lookup returns the value of a variable.
func lookup(env []string, name string) string {
	for _, entry := range env {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// with returns an environment with another value of a variable.
func with(env []string, name, value string) []string {
	entry := name + "=" + value
	for i, old := range env {
		if strings.HasPrefix(old, name+"=") {
			env = slices.Clone(env)
			env[i] = entry
			return env
		}
	}
	return append(slices.Clip(env), entry)
}

// setEnv does an instruction ENV.
func setEnv(env []string, text string) ([]string, error) {
	list, err := words(text)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 && !strings.Contains(list[0], "=") { // the old form: ENV NAME the value
		_, value, found := strings.Cut(text, " ")
		if !found {
			return nil, errors.New("ENV wants NAME=VALUE")
		}
		value, err := one(value, env)
		return with(env, list[0], value), err
	}
	before := env // all words of an instruction see the same variables
	for _, word := range list {
		name, value, ok := strings.Cut(word, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("ENV has %q, want NAME=VALUE", word)
		}
		env = with(env, name, expand(value, before))
	}
	return env, nil
}

// copyNames returns the sources and the destination of COPY.
func copyNames(text string, env []string) (from []string, to string, err error) {
	var list []string
	if strings.HasPrefix(text, "[") {
		err = strictjson.Unmarshal([]byte(text), &list)
	} else {
		list, err = words(text)
	}
	if err != nil {
		return nil, "", err
	}
	if len(list) < 2 {
		return nil, "", errors.New("COPY wants a source and a destination")
	}
	for i, name := range list {
		if list[i] = expand(name, env); list[i] == "" {
			return nil, "", errors.New("COPY has an empty name")
		}
	}
	n := len(list) - 1
	return list[:n], list[n], nil
}

// An ignore decides by the patterns of a .dockerignore which files of a folder are none of an image's.
type ignore []struct {
	pattern *regexp.Regexp
	keeps   bool
}

// parseIgnore reads a .dockerignore.
func parseIgnore(text string) (all ignore, err error) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		rest, keeps := strings.CutPrefix(line, "!")
		clean := path.Clean("/" + strings.TrimSpace(rest))[1:]
		if clean == "" {
			continue
		}
		p, err := regexp.Compile("^(?s:" + ignorePattern(clean) + ")(/|$)")
		if err != nil {
			return nil, fmt.Errorf(".dockerignore: the pattern %q: %w", line, err)
		}
		all = append(all, struct {
			pattern *regexp.Regexp
			keeps   bool
		}{p, keeps})
	}
	return all, nil
}

// ignorePattern writes a pattern of .dockerignore as a regular expression.
func ignorePattern(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '\\' && i+1 < len(glob):
			i++
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		case c == '[' || c == ']' || c == '^' || c == '-':
			b.WriteByte(c)
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	return b.String()
}

// drops reports whether a file, or a folder above it, is ignored: the last pattern that matches decides.
func (all ignore) drops(name string) (dropped bool) {
	for _, rule := range all {
		if rule.pattern.MatchString(name) {
			dropped = !rule.keeps
		}
	}
	return dropped
}
