package codetask

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func secondsTwo() map[string]second {
	return map[string]second{
		"grow_cells":      secondCells,
		"measure_regions": secondRegions,
		"read_table":      secondTable,
		"count_days": func(q []int64, in input) any {
			n := int64(0)
			for at, end := numbered(in.text(0)), numbered(in.text(1)); at.serial <= end.serial; at = at.next() {
				outer := at.serial == end.serial && q[2] > 0 || at.text() == in.text(0) && q[2] == 2
				if !outer {
					n += bit(at.is(q[0], q[1]) != (q[3] == 1))
				}
			}
			return n
		},
		"shift_date": secondShifted,
		"merge_intervals": func(q []int64, in input) any {
			spans := [][]int64{}
			for _, one := range in.rows(0) {
				spans = append(spans, slices.Clone(one))
			}
			reach := []int64{0, -1, 2, 1}[q[0]]
			for i := 0; i < len(spans); i++ {
				for j := 0; j < len(spans); j++ {
					a, b := spans[i], spans[j]
					if i != j && a[0] <= b[1]+reach && b[0] <= a[1]+reach {
						a[0], a[1] = min(a[0], b[0]), max(a[1], b[1])
						spans = slices.Delete(spans, j, j+1)
						i, j = 0, -1
					}
				}
			}
			slices.SortFunc(spans, func(a, b []int64) int { return int(a[0] - b[0]) })
			kept, held, gap, long := [][]int64{}, int64(0), int64(0), [][]int64{}
			for _, one := range spans {
				size := one[1] - one[0] + 1
				if size <= q[1] {
					continue
				}
				if n := len(kept); n > 0 {
					gap = max(gap, one[0]-kept[n-1][1])
				}
				if len(long) == 0 || size > long[0][1]-long[0][0]+1 {
					long = [][]int64{one}
				}
				kept = append(kept, one)
				held += size
			}
			return []any{kept, held, int64(len(kept)), gap, long}[q[2]]
		},
		"walk_robot": secondRobot,
		"run_stack":  secondStack,
		"circle_game": func(q []int64, in input) any {
			n, k, out := in.num(0), in.num(1), []int64{}
			var circle []int64
			for i := range n {
				circle = append(circle, i+1)
			}
			for len(circle) > 0 {
				turn := int((k - 1) % int64(len(circle)))
				circle = append(slices.Clone(circle[turn:]), circle[:turn]...)
				out, circle = append(out, circle[0]), circle[1:]
				switch m := len(circle); {
				case q[0] == 1:
					k++
				case q[0] == 2 && m > 0:
					slices.Reverse(circle)
				case q[0] == 3 && m > 0:
					circle = append(circle[1:m:m], circle[0])
				}
			}
			place := int64(1)
			for out[place-1] != 1 {
				place++
			}
			return []any{out, out[n-1], folded(0, out[max(0, n-3):]), place}[q[1]]
		},
		"factor_number": func(q []int64, in input) any { return secondFactors(q[0], q[2]*in.num(0)+q[1]) },
		"total_records": secondRecords,
		"serve_queue": func(q []int64, in input) any {
			free := make([]int64, q[0])
			sum, long, end, many := int64(0), int64(0), int64(0), int64(0)
			for _, v := range in.rows(0) {
				t := v[0]
				for !slices.ContainsFunc(free, func(f int64) bool { return f <= t }) {
					t++
				}
				if q[1] >= 0 && t-v[0] > q[1] {
					continue
				}
				desk := slices.IndexFunc(free, func(f int64) bool { return f <= t })
				free[desk] = t + v[1] + q[2]
				sum, long, end, many = sum+t-v[0], max(long, t-v[0]), max(end, t+v[1]), many+bit(t-v[0] > 2)
			}
			return []int64{sum, long, end, many}[q[3]]
		},
	}
}

// secondCells lets living cells count at their neighbors.
func secondCells(q []int64, in input) any {
	born, stays := q[4:4+q[3]], q[4+q[3]:]
	live := map[[2]int]bool{}
	height, width := len(in.texts()), len(in.texts()[0])
	for y, row := range in.texts() {
		for x, c := range row {
			live[[2]int{y, x}] = c == '#'
		}
	}
	for range in.num(1) {
		count := map[[2]int]int64{}
		for c, alive := range live {
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					to := [2]int{c[0] + dy, c[1] + dx}
					if q[1] == 1 {
						to = [2]int{(to[0] + height) % height, (to[1] + width) % width}
					}
					if near := dy*dy + dx*dx; alive && near > 0 && (near == 1 || q[0] == 1) {
						count[to]++
					}
				}
			}
		}
		for c, alive := range live {
			live[c] = !alive && slices.Contains(born, count[c]) || alive && slices.Contains(stays, count[c])
		}
	}
	grid, n := []string{}, int64(0)
	for y := range height {
		row := ""
		for x := range width {
			n += bit(live[[2]int{y, x}])
			row += map[bool]string{true: "#", false: "."}[live[[2]int{y, x}]]
		}
		grid = append(grid, row)
	}
	return []any{grid, n}[q[2]]
}

// secondRegions joins labels.
func secondRegions(q []int64, in input) any {
	grid := in.texts()
	height, width := len(grid), len(grid[0])
	mark := ".#"[q[3]]
	label := make([]int, height*width)
	for i := range label {
		label[i] = i
	}
	for changed := true; changed; {
		changed = false
		for i := range label {
			for j := max(0, i-width-1); j < i; j++ {
				dy, dx := i/width-j/width, i%width-j%width
				near := dy*dy+dx*dx == 1 || q[0] == 1 && dy*dy+dx*dx == 2
				if near && grid[i/width][i%width] == mark && grid[j/width][j%width] == mark && label[i] != label[j] {
					label[i], label[j] = min(label[i], label[j]), min(label[i], label[j])
					changed = true
				}
			}
		}
	}
	count, edge, top, left := map[int]int64{}, map[int]bool{}, map[int]bool{}, map[int]bool{}
	for i, l := range label {
		y, x := i/width, i%width
		if grid[y][x] == mark {
			count[l]++
			top[l] = top[l] || y == 0
			left[l] = left[l] || x == 0
			edge[l] = edge[l] || y == 0 || x == 0 || y == height-1 || x == width-1
		}
	}
	sizes := []int64{}
	for l, n := range count {
		if []bool{true, !edge[l], edge[l], !top[l], left[l]}[q[1]] {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	same := int64(0)
	for _, n := range sizes {
		same += bit(n == sizes[0])
	}
	return []any{int64(len(sizes)), folded(1, sizes), sizes, same}[q[2]]
}

// secondTable walks and turns, or sorts the cells.
func secondTable(q []int64, in input) any {
	t := in.rows(0)
	height, width := len(t), len(t[0])
	type place struct{ y, x int }
	var cells []place
	for i := range height * width {
		cells = append(cells, place{i / width, i % width})
	}
	key := func(c place) int {
		switch q[0] {
		case 2:
			return c.y*1000 + []int{c.x, -c.x}[c.y%2]
		case 3:
			return c.x*1000 + []int{c.y, -c.y}[c.x%2]
		case 4:
			return (c.y+c.x)*1000 - c.y
		default:
			return (c.y-c.x)*1000 + c.y
		}
	}
	if q[0] >= 2 {
		slices.SortFunc(cells, func(a, b place) int { return key(a) - key(b) })
	} else {
		seen, at, turn := map[place]bool{}, place{}, 0
		ways := [][]place{{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}, {{1, 0}, {0, 1}, {-1, 0}, {0, -1}}}[q[0]]
		for n := range cells {
			cells[n], seen[at] = at, true
			to := place{at.y + ways[turn].y, at.x + ways[turn].x}
			if to.y < 0 || to.x < 0 || to.y >= height || to.x >= width || seen[to] {
				turn = (turn + 1) % 4
				to = place{at.y + ways[turn].y, at.x + ways[turn].x}
			}
			at = to
		}
	}
	out, sum, high := []int64{}, int64(0), -never
	for n, c := range cells {
		x := t[c.y][c.x]
		sum += x
		if q[1] == 0 || q[1] == 2 && n%2 == 0 || q[1] == 3 && x > high {
			out = append(out, x)
		}
		if q[1] == 1 {
			out = append(out, sum)
		}
		high = max(high, x)
	}
	return out
}

// A date is a day of a calendar without a library.
type date struct{ year, month, day, serial int64 } // serial: from 1900-01-01, a Monday, which is 0

func (d date) length() int64 {
	if d.month == 2 {
		return 28 + bit(d.year%4 == 0 && d.year%100 != 0 || d.year%400 == 0)
	}
	return []int64{0, 31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[d.month]
}

func (d date) next() date {
	d.serial++
	if d.day++; d.day > d.length() {
		d.day = 1
		if d.month++; d.month > 12 {
			d.month, d.year = 1, d.year+1
		}
	}
	return d
}

func (d date) before() date {
	d.serial--
	if d.day--; d.day == 0 {
		if d.month--; d.month == 0 {
			d.month, d.year = 12, d.year-1
		}
		d.day = d.length()
	}
	return d
}

func two(n int64) string { return decimal(n + 100)[1:] }

func (d date) text() string { return decimal(d.year) + "-" + two(d.month) + "-" + two(d.day) }

// is tells whether a rule holds, and weekday k.
func (d date) is(rule, k int64) bool {
	on := (d.serial%7+7)%7 == k
	return []bool{on, (d.serial+2)%7 < 2, d.day == d.length(), d.day%(k+2) == 0, on && (d.day-1)/7 == 0, d.month == d.day, d.length() == 30, on && d.day == 13}[rule]
}

// numbered counts the days to a date.
func numbered(text string) date {
	year, _ := strconv.ParseInt(text[:4], 10, 64)
	d := date{1900, 1, 1, 0}
	for d.year < year {
		d.serial += 337 + date{d.year, 2, 1, 0}.length()
		d.year++
	}
	for d.text() != text {
		d = d.next()
	}
	return d
}

func secondShifted(q []int64, in input) any {
	d, n := numbered(in.text(0)), in.num(1)
	if q[0] == 1 {
		n *= 7
	}
	for n > 0 {
		if d = d.next(); q[1] == 1 {
			d = d.before().before()
		}
		weekday := (d.serial%7 + 7) % 7
		if []bool{true, true, weekday != 5 && weekday != 6, weekday != 6, d.day > 1, d.day&1 == 1}[q[0]] {
			n--
		}
	}
	year := decimal(d.year)
	text := []string{two(d.day) + "." + two(d.month) + "." + year, year + "/" + two(d.month) + "/" + two(d.day), decimal(d.day) + "-" + decimal(d.month) + "-" + year[2:], two(d.month) + two(d.day) + year}[q[2]]
	if q[3] == 1 {
		text = "MonTueWedThuFriSatSun"[(d.serial%7+7)%7*3:][:3] + " " + text
	}
	return text
}

func secondRobot(q []int64, in input) any {
	n, x, y, face, changed := in.num(0), int64(0), int64(0), int64(0), int64(0)
	path := [][2]int64{{0, 0}}
	for _, c := range in.text(1) {
		step := strings.Index("N  E  S  W", string(c)) / 3
		if q[0] == 1 {
			switch c {
			case 'L':
				face += 3
				continue
			case 'R':
				face++
				continue
			}
			step = int(face+2*bit(c == 'B')) % 4
		}
		a, b := x, y
		switch step {
		case 0:
			b += 1 - 2*q[2]
		case 1:
			a++
		case 2:
			b -= 1 - 2*q[2]
		case 3:
			a--
		}
		if outside := a == -1 || b == -1 || a == n || b == n; outside && q[1] == 2 {
			break
		} else if outside && q[1] == 1 {
			a, b = x, y
		}
		a, b = (a+n)%n, (b+n)%n
		changed += bit(a != x || b != y)
		x, y = a, b
		path = append(path, [2]int64{x, y})
	}
	far, seen := int64(0), map[[2]int64]bool{}
	for _, p := range path {
		far = max(far, p[0]+p[1])
		seen[p] = true
	}
	return []any{decimal(x) + "," + decimal(y), int64(len(seen)), far, changed}[q[3]]
}

// secondStack keeps the top of the stack at the front.
func secondStack(q []int64, in input) any {
	s := []int64{}
	for _, line := range in.texts() {
		words := strings.Fields(line)
		pop := func() int64 {
			x := s[0]
			s = s[1:]
			return x
		}
		push := func(list ...int64) { s = append(list, s...) }
		needs := map[string]int{"push": 0, "dup": 1, "drop": 1, "neg": 1, "rot": 3}
		if n, listed := needs[words[0]]; len(s) < n || !listed && len(s) < 2 {
			if q[4] == 1 {
				break
			}
			if q[4] == 2 {
				s = []int64{}
			}
			continue
		}
		switch words[0] {
		case "push":
			x, _ := strconv.ParseInt(words[1], 10, 64)
			push(x)
		case "dup":
			push(s[0])
		case "drop":
			pop()
		case "neg":
			push(-pop())
		case "over":
			push(s[1])
		case "rot":
			a, b, c := pop(), pop(), pop()
			push(c, a, b)
		case "swap":
			a, b := pop(), pop()
			push(b, a)
		default:
			top, low := pop(), pop()
			push(map[string]int64{"add": low + top, "sub": low - top, "rsub": top - low, "max": max(low, top), "min": min(low, top)}[words[0]])
		}
	}
	up := slices.Clone(s)
	slices.Reverse(up)
	return []any{up, s, folded(0, s)}[q[5]]
}

func secondFactors(id, n int64) any {
	if n > 20_000_000 && id != 0 {
		return nil
	}
	isPrime := func(p int64) bool {
		for d := int64(2); d*d <= p; d++ {
			if p%d == 0 {
				return false
			}
		}
		return p > 1
	}
	var primes []int64
	divisors, square, coprime := int64(0), int64(1), n
	for d := int64(1); d*d <= n; d++ {
		if n%d > 0 {
			continue
		}
		divisors += 1 + bit(d*d != n)
		if n/d%d == 0 {
			square = d
		}
		for _, p := range slices.Compact([]int64{d, n / d}) {
			if isPrime(p) {
				primes = append(primes, p)
				coprime -= coprime / p
			}
		}
	}
	slices.Sort(primes)
	sum, parts, root := int64(0), []string{}, int64(1)
	for _, p := range primes {
		e := int64(0)
		for m := n; m%p == 0; m /= p {
			e++
		}
		sum, root = sum+p*e, root*p
		parts = append(parts, strings.TrimSuffix(decimal(p)+"^"+decimal(e)+"$", "^1$"))
	}
	text := strings.ReplaceAll(strings.Join(parts, "*"), "$", "")
	return []any{text, sum, folded(0, primes), divisors, primes[len(primes)-1] - primes[0], coprime, square, root}[id]
}

func secondRecords(q []int64, in input) any {
	sep, sign := regexp.QuoteMeta(string(rune(q[0]))), []string{"", "-?"}[q[4]]
	form := regexp.MustCompile([]string{"^ *(?P<n>[a-z]+) *" + sep + " *(?P<a>" + sign + "[0-9]+) *$", "^ *(?P<a>" + sign + "[0-9]+) *" + sep + " *(?P<n>[a-z]+) *$"}[q[1]])
	var names []string
	amounts := map[string][]int64{}
	for _, line := range in.texts() {
		if m := form.FindStringSubmatch(line); m != nil {
			name := m[form.SubexpIndex("n")]
			x, _ := strconv.ParseInt(m[form.SubexpIndex("a")], 10, 64)
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			amounts[name] = append(amounts[name], x)
		}
	}
	value := map[string]int64{}
	for name, v := range amounts {
		s := slices.Sorted(slices.Values(v))
		value[name] = []int64{folded(0, v), s[len(s)-1], int64(len(s)), v[len(v)-1], v[len(v)-1] - v[0], s[(len(s)+1)/2-1]}[q[2]]
	}
	out := []string{}
	for left := names; len(left) > 0; {
		best := 0
		for i, name := range left {
			d := []int64{0, value[name] - value[left[best]], 0, value[left[best]] - value[name]}[q[3]]
			if d > 0 || d == 0 && q[3] != 2 && name < left[best] {
				best = i
			}
		}
		out = append(out, left[best]+":"+decimal(value[left[best]]))
		left = slices.Delete(slices.Clone(left), best, best+1)
	}
	return out
}
