package play

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// escapes matches what a terminal does not show.
var escapes = compiled.Regexp("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-Z\\\\^-~]|\x00")

// plain returns an output as a terminal would show it.
func plain(output []byte) string {
	text := escapes().ReplaceAllString(strings.ToValidUTF8(string(output), "\uFFFD"), "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if !strings.Contains(text, "\r") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		end := line[len(strings.TrimSuffix(line, "\n")):]
		line = strings.TrimRight(strings.TrimSuffix(line, "\n"), "\r")
		lines[i] = line[strings.LastIndexByte(line, '\r')+1:] + end
	}
	return strings.Join(lines, "")
}

// told returns what the policy is told of a call. of is the call's time limit in seconds.
func told(got box.Result, most int, of float64) string {
	text := plain(got.Output)
	if got.Cut > 0 {
		text = joined(plain(got.Output[:got.Head]), plain(got.Output[got.Head:]), most, int(got.Cut))
	} else {
		text = cut(text, most)
	}
	if text == "" {
		text = "[no output]"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	var how []string
	switch {
	case got.TimedOut:
		how = append(how, fmt.Sprintf("time is up after %g s, and it was ended", of))
	case got.Signal != 0:
		how = append(how, fmt.Sprintf("ended by signal %d", got.Signal))
	default:
		how = append(how, fmt.Sprintf("exit %d", got.Exit))
	}
	if got.MemoryKilled {
		how = append(how, "the memory was full, and a process was killed")
	}
	if got.StorageFull {
		how = append(how, "the disk was full, and all processes were killed")
	}
	if got.Unreachable {
		how = append(how, "there is no network")
	}
	how = append(how, fmt.Sprintf("%.1f s", got.Wall.Seconds()))
	if got.Dir != "" {
		how = append(how, "in "+strings.ToValidUTF8(got.Dir, "\uFFFD"))
	}
	return text + "[" + strings.Join(how, ", ") + "]"
}

// cut returns a text of up to most characters: of a longer one the first 40 %, a line that tells how much is left out, and
// the last 60 %, cut at lines if that leaves out little more.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return joined(text, text, most, -utf8.RuneCountInString(text))
}

// joined joins the beginning of head and the end of tail. out counts what is left out between them already; of one text twice it is
// negative, less the characters that would be counted twice.
func joined(head, tail string, most, out int) string {
	first, all := []rune(head), []rune(tail)
	n, m := min(most*2/5, len(first)), min(most-most*2/5, len(all))
	begin, end := string(first[:n]), string(all[len(all)-m:])
	if at := strings.LastIndexByte(begin, '\n'); at >= len(begin)/2 {
		begin = begin[:at+1]
	}
	if at := strings.IndexByte(end, '\n'); at >= 0 && at < len(end)/2 && len(all) > m && all[len(all)-m-1] != '\n' {
		end = end[at+1:]
	}
	out += len(first) + len(all) - utf8.RuneCountInString(begin) - utf8.RuneCountInString(end)
	if begin != "" && !strings.HasSuffix(begin, "\n") {
		begin += "\n"
	}
	return fmt.Sprintf("%s[%d characters left out]\n%s", begin, out, end)
}
