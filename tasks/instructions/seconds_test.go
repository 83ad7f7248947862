package instructions

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The seconds judge texts by regular expressions, and share nothing with the kinds.
var (
	wordsRE   = regexp.MustCompile(`[\pL\pN]+(?:[-'.,:][\pL\pN]+)*`)
	stopRE    = regexp.MustCompile(`([.!?])["')\]*]*(?:\s+|$)|\n+`)
	blankRE   = regexp.MustCompile(`\n[ \t]*\n\s*`)
	figuresRE = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)
)

func folded(list []string) []string { return strings.Fields(strings.ToLower(strings.Join(list, " "))) }

func wordsOf(text string) []string { return folded(wordsRE.FindAllString(text, -1)) }

// partsOf returns the words of each sentence.
func partsOf(text string) (parts [][]string) {
	for _, part := range stopRE.Split(text, -1) {
		if words := wordsOf(part); len(words) > 0 {
			parts = append(parts, words)
		}
	}
	return parts
}

// signsOf returns the signs that end sentences.
func signsOf(text string) (signs string) {
	for _, found := range stopRE.FindAllStringSubmatch(text, -1) {
		signs += found[1]
	}
	return signs
}

func linesOf(text string) []string { return strings.Split(text, "\n") }

func blocksOf(text string) []string { return blankRE.Split(text, -1) }

// tally counts the elements that hold.
func tally[T any](list []T, holds func(T) bool) (n int) {
	for _, v := range list {
		if holds(v) {
			n++
		}
	}
	return n
}

// initialsOf returns the first letters of word lists.
func initialsOf(parts [][]string) (s string) {
	for _, words := range parts {
		s += words[0][:1]
	}
	return s
}

// neighbors reports whether all neighbours in each part are as wanted.
func neighbors(text string, fine func(a, b string) bool) bool {
	for _, words := range partsOf(text) {
		for i, b := range words[1:] {
			if !fine(words[i], b) {
				return false
			}
		}
	}
	return true
}

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

func times(pattern, text string) int { return len(regexp.MustCompile(pattern).FindAllString(text, -1)) }

func onlyWord(r rule, text string) int { return times(`(?i)\b`+r.Words[0]+`\b`, text) }

var seconds = map[string]func(r rule, text string) bool{
	"word_range":      func(r rule, text string) bool { n := len(wordsOf(text)); return r.N <= n && n <= r.M },
	"word_multiple":   func(r rule, text string) bool { return len(wordsOf(text))%r.N == 0 },
	"sentence_count":  func(r rule, text string) bool { return len(partsOf(text)) == r.N },
	"paragraph_count": func(r rule, text string) bool { return len(blocksOf(text)) == r.N },
	"even_paragraphs": func(r rule, text string) bool {
		return len(blocksOf(text)) == r.N && tally(blocksOf(text), func(s string) bool { return len(partsOf(s)) == r.M }) == r.N
	},
	"number_count": func(r rule, text string) bool { return len(figuresRE.FindAllString(text, -1)) == r.N },
	"long_words": func(r rule, text string) bool {
		return tally(wordsOf(text), func(w string) bool { return len(w) >= r.M }) >= r.N
	},
	"keyword_frequency": func(r rule, text string) bool { return onlyWord(r, text) == r.N },
	"semicolons":        func(r rule, text string) bool { return strings.Count(text, ";") == r.N },
	"comma_count":       func(r rule, text string) bool { return strings.Count(text, ",") == r.N },
	"no_commas":         func(_ rule, text string) bool { return !strings.Contains(text, ",") },
	"parentheses": func(r rule, text string) bool {
		return times(`\([^()]+\)`, text) == r.N && strings.Count(text, "(") == r.N
	},
	"placeholders": func(r rule, text string) bool { return times(`\[[^\[\]]+\]`, text) >= r.N },
	"highlights":   func(r rule, text string) bool { return times(`\*[^*\n]+\*`, text) >= r.N },
	"keywords": func(r rule, text string) bool {
		return tally(r.Words, func(w string) bool { return matches(`(?i)\b`+w+`\b`, text) }) == len(r.Words)
	},
	"keywords_once": func(r rule, text string) bool {
		return tally(r.Words, func(w string) bool { return times(`(?i)\b`+w+`\b`, text) == 1 }) == len(r.Words)
	},
	"forbidden_words": func(r rule, text string) bool { return !matches(`(?i)\b(?:`+strings.Join(r.Words, "|")+`)\b`, text) },
	"all_different": func(_ rule, text string) bool {
		words := slices.Sorted(slices.Values(wordsOf(text)))
		return len(slices.Compact(words)) == len(wordsOf(text))
	},
	"word_at":    func(r rule, text string) bool { return wordsOf(text)[r.N-1] == r.Words[0] },
	"lower_case": func(_ rule, text string) bool { return !matches(`\p{Lu}`, text) },
	"upper_case": func(_ rule, text string) bool { return !matches(`\p{Ll}`, text) },
	"capital_words": func(r rule, text string) bool {
		return times(`\b[A-Z]{2,}\b`, text) == r.N
	},
	"capital_initials": func(_ rule, text string) bool { return !matches(`(?:^|[^\pL'-])\p{Ll}`, text) },
	"letter_at_least":  func(r rule, text string) bool { return times(`(?i)`+r.Words[0], text) >= r.N },
	"letter_at_most":   func(r rule, text string) bool { return times(`(?i)`+r.Words[0], text) <= r.N },
	"lipogram":         func(r rule, text string) bool { return !matches(`(?i)`+r.Words[0], text) },
	"longest_word":     func(r rule, text string) bool { return !matches(fmt.Sprintf(`[\pL\pN]{%d}`, r.N+1), text) },
	"shortest_word": func(r rule, text string) bool {
		return tally(wordsOf(text), func(w string) bool { return len(w) < r.N }) == 0
	},
	"initial_count": func(r rule, text string) bool { return times(`(?i)\b`+r.Words[0], text) == r.N },
	"no_initials":   func(r rule, text string) bool { return !matches(`(?i)\b[`+strings.Join(r.Words, "")+`]`, text) },
	"json_object": func(r rule, text string) bool {
		var object map[string]string
		return json.Unmarshal([]byte(text), &object) == nil && len(object) == len(r.Words) && tally(r.Words, func(k string) bool { return object[k] == "" }) == 0
	},
	"bullets": func(r rule, text string) bool { return times(`(?m)^- .+$`, text) == r.N && len(linesOf(text)) == r.N },
	"numbered_lines": func(r rule, text string) bool {
		return times(`(?m)^\d\) .+$`, text) == r.N && len(linesOf(text)) == r.N
	},
	"line_words": func(r rule, text string) bool {
		return tally(linesOf(text), func(s string) bool { return len(strings.Fields(s)) == r.M }) == r.N
	},
	"growing_lines": func(r rule, text string) bool {
		return len(linesOf(text)) == r.N && slices.IsSortedFunc(linesOf(text), func(a, b string) int { return len(a) - len(b) })
	},
	"title":        func(_ rule, text string) bool { return matches(`^<<[^<>\n]+>>\n`, text) },
	"postscript":   func(_ rule, text string) bool { return matches(`(?i)\np\.s\. [^\n]+$`, text) },
	"start_phrase": func(r rule, text string) bool { return strings.Index(text, r.Words[0]) == 0 },
	"end_phrase": func(r rule, text string) bool {
		return strings.LastIndex(text, r.Words[0]) == len(text)-len(r.Words[0])
	},
	"closing_choice": func(r rule, text string) bool { return slices.Contains(r.Words, linesOf(text)[len(linesOf(text))-1]) },
	"quotation":      func(_ rule, text string) bool { return matches(`(?s)^"[^"]+"$`, text) },
	"repeat_request": func(r rule, text string) bool { return linesOf(text)[0] == r.Words[0] },
	"sections":       func(r rule, text string) bool { return times(`(?im)^section \d\n\S`, text) == r.N },
	"two_responses": func(_ rule, text string) bool {
		parts := strings.Split(text, "\n******\n")
		return len(parts) == 2 && strings.TrimSpace(parts[0]) != strings.TrimSpace(parts[1])
	},
	"sentence_length": func(r rule, text string) bool {
		return tally(partsOf(text), func(w []string) bool { return len(w) != r.N }) == 0
	},
	"growing_sentences": func(r rule, text string) bool {
		want := r.N - 1
		return tally(partsOf(text), func(w []string) bool { want++; return len(w) != want }) == 0
	},
	"acrostic_paragraphs": func(r rule, text string) bool {
		return initialsOf(blockWords(text)) == r.Words[0]
	},
	"acrostic_sentences": func(r rule, text string) bool { return initialsOf(partsOf(text)) == r.Words[0] },
	"first_of_paragraph": func(r rule, text string) bool {
		return len(blocksOf(text)) == r.N && blockWords(text)[r.M-1][0] == r.Words[0]
	},
	"start_alike": func(r rule, text string) bool {
		return tally(partsOf(text), func(w []string) bool { return w[0] != r.Words[0] }) == 0
	},
	"end_alike": func(r rule, text string) bool {
		return tally(partsOf(text), func(w []string) bool { return w[len(w)-1] != r.Words[0] }) == 0
	},
	"different_starts": func(r rule, text string) bool {
		initials := strings.Split(initialsOf(partsOf(text)), "")
		slices.Sort(initials)
		return len(initials) >= r.N && len(slices.Compact(initials)) == len(partsOf(text))
	},
	"rising_starts": func(r rule, text string) bool {
		initials := []byte(initialsOf(partsOf(text)))
		sorted := slices.Compact(slices.Sorted(slices.Values(initials)))
		return len(initials) >= r.N && slices.Equal(sorted, initials)
	},
	"chain_letters": func(r rule, text string) bool {
		parts := partsOf(text)
		for i, words := range parts[1:] {
			if last := strings.Join(parts[i], ""); !strings.HasSuffix(last, words[0][:1]) {
				return false
			}
		}
		return len(parts) >= r.N
	},
	"chain_words": func(r rule, text string) bool {
		return len(partsOf(text)) >= r.N && chained(partsOf(text))
	},
	"frame": func(r rule, text string) bool {
		return matches(`(?is)^\W*`+r.Words[0]+`\b.*\b`+r.Words[0]+`\W*$`, text)
	},
	"alternate_marks": func(r rule, text string) bool {
		return len(signsOf(text)) >= r.N && matches(`^(?:\.!)*\.?$`, signsOf(text))
	},
	"question_count": func(r rule, text string) bool { return strings.Count(signsOf(text), "?") == r.N },
	"growing_words": func(_ rule, text string) bool {
		return neighbors(text, func(a, b string) bool { return len(a) <= len(b) })
	},
	"alternate_lengths": func(_ rule, text string) bool {
		return neighbors(text, func(a, b string) bool { return (len(a)+len(b))%2 == 1 })
	},
	"alternate_initials": func(_ rule, text string) bool {
		return neighbors(text, func(a, b string) bool { return matches(`^[aeiou]`, a) != matches(`^[aeiou]`, b) })
	},
}

func blockWords(text string) (parts [][]string) {
	for _, block := range blocksOf(text) {
		parts = append(parts, wordsOf(block))
	}
	return parts
}

func chained(parts [][]string) bool {
	for i, words := range parts[1:] {
		if parts[i][len(parts[i])-1] != words[0] {
			return false
		}
	}
	return true
}
