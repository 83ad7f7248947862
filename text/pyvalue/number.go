package pyvalue

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

var (
	errDivision = errors.New("division by zero")
	errLarge    = fmt.Errorf("an integer has more than %d bits", maxBits)
	errOverflow = errors.New("the number is too large for a float")
	errComplex  = errors.New("the power is a complex number, which is not supported")
)

// fromBig returns n as a value.
func fromBig(n *big.Int) Value {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// bounded returns n as a value, or an error if it is too large.
func bounded(n *big.Int) (Value, error) {
	if n.BitLen() > maxBits {
		return nil, errLarge
	}
	return fromBig(n), nil
}

// toInt64 returns an integer if it fits an int64. A bool is an integer.
func toInt64(v Value) (n int64, ok bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// toBig returns an integer. The caller must not change it.
func toBig(v Value) (n *big.Int, ok bool) {
	if v, ok := v.(*big.Int); ok {
		return v, true
	}
	small, ok := toInt64(v)
	return big.NewInt(small), ok
}

// toFloat returns a number as a float.
func toFloat(v Value) (f float64, err error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case *big.Int:
		if f, _ = new(big.Float).SetInt(v).Float64(); math.IsInf(f, 0) {
			return 0, errOverflow
		}
		return f, nil
	}
	n, _ := toInt64(v)
	return float64(n), nil
}

// IsNumber reports whether v is a number or a bool.
func IsNumber(v Value) bool {
	switch v.(type) {
	case bool, int64, *big.Int, float64:
		return true
	}
	return false
}

// calculate applies an operator to two numbers.
func calculate(op string, a, b Value) (Value, error) {
	if x, ok := toInt64(a); ok {
		if y, ok := toInt64(b); ok {
			if z, done := small(op, x, y); done {
				return z, nil
			}
		}
	}
	if x, ok := toBig(a); ok {
		if y, ok := toBig(b); ok {
			return whole(op, x, y)
		}
	}
	x, err := toFloat(a)
	if err != nil {
		return nil, err
	}
	y, err := toFloat(b)
	if err != nil {
		return nil, err
	}
	return real64(op, x, y)
}

// small applies an operator to small integers, if there is a quick way.
func small(op string, x, y int64) (z Value, done bool) {
	const limit = 1 << 31
	if x <= -limit || x >= limit || y <= -limit || y >= limit {
		return nil, false
	}
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	}
	if y <= 0 || x < 0 {
		return nil, false
	}
	switch op {
	case "//":
		return x / y, true
	case "%":
		return x % y, true
	}
	return nil, false
}

// whole applies an operator to integers.
func whole(op string, x, y *big.Int) (Value, error) {
	z := new(big.Int)
	switch op {
	case "+":
		return bounded(z.Add(x, y))
	case "-":
		return bounded(z.Sub(x, y))
	case "*":
		return bounded(z.Mul(x, y))
	case "**":
		return power(x, y)
	}
	if y.Sign() == 0 {
		return nil, errDivision
	}
	switch op {
	case "/":
		f, _ := new(big.Rat).SetFrac(x, y).Float64()
		if math.IsInf(f, 0) {
			return nil, errOverflow
		}
		if x.Sign() == 0 {
			f = math.Copysign(0, float64(y.Sign()))
		}
		return f, nil
	case "//":
		floor, rest := z.QuoRem(x, y, new(big.Int))
		if rest.Sign() != 0 && rest.Sign() != y.Sign() {
			floor.Sub(floor, big.NewInt(1))
		}
		return fromBig(floor), nil
	}
	rest := z.Rem(x, y)
	if rest.Sign() != 0 && rest.Sign() != y.Sign() {
		rest.Add(rest, y)
	}
	return fromBig(rest), nil
}

func power(x, y *big.Int) (Value, error) {
	if y.Sign() < 0 {
		f, err := toFloat(fromBig(x))
		if err != nil {
			return nil, err
		}
		g, err := toFloat(fromBig(y))
		if err != nil {
			return nil, err
		}
		return real64("**", f, g)
	}
	if x.BitLen() > 1 && (!y.IsInt64() || y.Int64() > maxBits || int64(x.BitLen()-1)*y.Int64() > maxBits) {
		return nil, errLarge
	}
	if y.BitLen() > 1 && x.BitLen() <= 1 { // x is -1, 0 or 1
		y = big.NewInt(2 + int64(y.Bit(0)))
	}
	return bounded(new(big.Int).Exp(x, y, nil))
}

// real64 applies an operator to floats.
func real64(op string, x, y float64) (Value, error) {
	switch op {
	case "+":
		return x + y, nil
	case "-":
		return x - y, nil
	case "*":
		return x * y, nil
	case "**":
		return realPower(x, y)
	}
	if y == 0 {
		return nil, errDivision
	}
	if op == "/" {
		return x / y, nil
	}
	rest := math.Mod(x, y)
	quotient := (x - rest) / y
	switch {
	case rest == 0:
		rest = math.Copysign(0, y)
	case (y < 0) != (rest < 0):
		rest += y
		quotient--
	}
	if op == "%" {
		return rest, nil
	}
	if quotient == 0 {
		return math.Copysign(0, x/y), nil
	}
	floor := math.Floor(quotient)
	if quotient-floor > 0.5 {
		floor++
	}
	return floor, nil
}

func realPower(x, y float64) (Value, error) {
	if x == 0 && y < 0 {
		return nil, errDivision
	}
	if x < 0 && y != math.Trunc(y) && !math.IsInf(x, 0) {
		return nil, errComplex
	}
	z := math.Pow(x, y)
	if math.IsInf(z, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return nil, errOverflow
	}
	return z, nil
}

// formatFloat formats f like Python's repr.
func formatFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if !strings.Contains(string(dst[from:]), ".") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// parseInt parses an integer like Python's int.
func parseInt(s string, base int64) (Value, error) {
	fault := fmt.Errorf("invalid literal for int() with base %d: %.50q", base, s)
	digits, valid := bareDigits(s)
	if base != 0 && (base < 2 || base > 36) {
		return nil, errors.New("int() base must be >= 2 and <= 36, or 0")
	}
	if !valid || len(digits) > maxDigits {
		return nil, fault
	}
	sign, body := "", digits
	if strings.HasPrefix(body, "-") || strings.HasPrefix(body, "+") {
		sign, body = body[:1], body[1:]
	}
	prefix := map[string]int64{"0x": 16, "0o": 8, "0b": 2}[strings.ToLower(body[:min(2, len(body))])]
	switch {
	case prefix != 0 && (base == 0 || base == prefix):
		body, base = strings.TrimPrefix(body[2:], "_"), prefix
	case base == 0 && strings.HasPrefix(body, "0") && strings.Trim(body, "0_") != "":
		return nil, fault
	case base == 0:
		base = 10
	}
	if body == "" || strings.ContainsAny(body[:1], "+-_") || strings.HasSuffix(body, "_") || strings.Contains(body, "__") {
		return nil, fault
	}
	n, valid := new(big.Int).SetString(sign+strings.ReplaceAll(body, "_", ""), int(base))
	if !valid {
		return nil, fault
	}
	return bounded(n)
}

// bareDigits trims white space from s and replaces the digits of other scripts by ASCII
// ones. valid is false if any other character is not ASCII.
func bareDigits(s string) (digits string, valid bool) {
	valid = true
	digits = strings.Map(func(c rune) rune {
		if c < 0x80 {
			return c
		}
		d := unicode15.Digit(c)
		valid = valid && d >= 0
		return '0' + rune(max(d, 0))
	}, strings.TrimFunc(s, IsSpace))
	return digits, valid
}

// parseFloat parses a float like Python's float.
func parseFloat(s string) (f float64, valid bool) {
	digits, valid := bareDigits(s)
	low := strings.ToLower(strings.TrimLeft(digits, "+-"))
	word := low == "inf" || low == "infinity" || low == "nan"
	if !valid || !word && strings.ContainsAny(low, "xpin") || badUnderscores(digits) {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

// badUnderscores reports whether any underscore is not between two digits.
func badUnderscores(s string) bool {
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i == len(s)-1 || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
