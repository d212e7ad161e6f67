package book

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/goccy/go-yaml"

	"insurance.example/exchange/pkg/calendar"
	"insurance.example/exchange/pkg/resource"
)

// functions are what the expressions of book.yaml call.
func (c *chain) functions() template.FuncMap {
	return template.FuncMap{
		// Random: one of a list with a name, or of some values; a number that is least plus a multiple of step.
		"pick":    func(name string) any { return c.choose(read().Names[name]...) },
		"choose":  c.choose,
		"between": func(least, most, step int) int { return least + c.rng.IntN((most-least)/step+1)*step },

		"names": func(name string) []any { return read().Names[name] },
		"part":  func(name string) any { return c.value(read().Parts[name]) },
		"value": func(of yaml.MapSlice) any { return c.value(of) },
		"line": func(name string) line {
			return read().Lines[slices.IndexFunc(read().Lines, func(l line) bool { return l.Resource == name })]
		},
		"only": func(is bool, value any) any {
			if is {
				return value
			}
			return nil
		},

		"add": func(a, b int) int { return a + b },
		"sub": func(a, b int) int { return a - b },
		"mul": func(a, b int) int { return a * b },
		"div": func(a, b int) int { return a / b },
		"mod": func(a, b int) int { return a % b },

		"year":  func(n int) time.Time { return time.Date(n, 1, 1, 0, 0, 0, 0, time.UTC) },
		"shift": time.Time.AddDate,
		"hours": func(t time.Time, n int) time.Time { return t.Add(time.Duration(n) * time.Hour) },
		"day":   func(t time.Time) string { return t.Format(time.DateOnly) },
		// The instant at which a day begins in a time zone.
		"midnight": func(zone string, day time.Time) (time.Time, error) {
			in, err := calendar.Zone(zone)
			on, _ := calendar.Of(time.UTC, day)
			if err != nil {
				return day, err
			}
			return calendar.At(in, on, 0).UTC(), nil
		},
		"instant": instant,
		"month":   month,
		"quarter": quarter,
		"named":   func(n int) string { return month(c.vars["first"].(time.Time).AddDate(0, n, 0)) },

		"reference": func(name string) string { return reference(c.Seed, name) },

		// Values that a member may have: the preferred one if it is allowed and otherwise the first, a random one, and
		// n different random ones, or all of them if there are fewer.
		"one": func(resource, member, preferred string) string {
			return preferredOf(c.values(resource, member), preferred)
		},
		"any": func(resource, member string) string {
			values := c.values(resource, member)
			return values[c.rng.IntN(len(values))]
		},
		"some": func(resource, member string, n int) (all []string) {
			values := c.values(resource, member)
			for _, i := range c.rng.Perm(len(values))[:min(n, len(values))] {
				all = append(all, values[i])
			}
			return all
		},
		"endorsement": c.endorsement,
		"having":      c.having,
		"covered":     c.covered,
	}
}

func (c *chain) choose(from ...any) any { return c.value(from[c.rng.IntN(len(from))]) }

func instant(t time.Time) string { return t.Format(time.RFC3339) }

// month and quarter return how those of an instant are named in a bordereau.
func month(at time.Time) string { return at.Format("2006-01") }

func quarter(at time.Time) string { return fmt.Sprintf("%d-Q%d", at.Year(), (int(at.Month())+2)/3) }

func reference(seed uint64, name string) string { return fmt.Sprintf("SEED%d-%s", seed, name) }

// values returns the values that a member may have. The member must have a value set.
func (c *chain) values(resource, member string) []string {
	r, _ := c.catalog.Find(resource)
	m, _ := r.Member(member)
	if len(m.Values) == 0 {
		c.err = cmp.Or(c.err,
			fmt.Errorf("the exchange's OpenAPI document names no values of %s of %s", member, resource))
		return []string{""}
	}
	return m.Values
}

func preferredOf(values []string, preferred string) string {
	if len(values) == 0 || slices.Contains(values, preferred) {
		return preferred
	}
	return values[0]
}

// insured returns the line of the present policy, and its resource.
func (c *chain) insured() (line, resource.Resource) {
	of, _ := c.vars["line"].(line)
	r, _ := c.catalog.Find(of.Resource)
	return of, r
}

// endorsement returns a type of endorsement.
func (c *chain) endorsement(preferred string) string {
	_, r := c.insured()
	endorse, _ := r.Action("endorse")
	for _, m := range endorse.Members {
		if m.Path == "endorsementType" {
			return preferredOf(m.Values, preferred)
		}
	}
	return preferred
}

// having returns the value of a member, and nothing if policies of the line have no such member.
func (c *chain) having(member string, value any) any {
	_, r := c.insured()
	if _, has := r.Member(member); has {
		return value
	}
	return nil
}

// covered returns a cause of a claim that a policy covers, and nothing if policies of the line do not say what they
// cover.
func (c *chain) covered(policy Record) any {
	of, _ := c.insured()
	if all, _ := policy[of.Perils].([]any); len(all) > 0 {
		return all[0]
	}
	return nil
}

// value returns what a value of book.yaml is now.
func (c *chain) value(of any) any {
	switch of := of.(type) {
	case string:
		expression, is := strings.CutPrefix(of, "= ")
		if !is {
			return c.text(of)
		}
		var result any
		c.evaluate("{{give ("+expression+")}}", func(value any) string {
			result = value
			return ""
		})
		return result
	case uint64:
		return int(of)
	case int64:
		return int(of)
	case []any:
		all := make([]any, len(of))
		for i := range of {
			all[i] = c.value(of[i])
		}
		return all
	case yaml.MapSlice:
		all := Record{}
		for _, member := range of {
			name, value := c.text(member.Key.(string)), c.value(member.Value)
			if variable, is := strings.CutPrefix(name, "$"); is {
				c.vars[variable] = value
			} else if others, is := value.(Record); is && name == "..." {
				maps.Copy(all, others)
			} else if value != nil {
				all[name] = value
			}
		}
		return all
	}
	return of
}

// record returns a value that is a record, and nil for none.
func (c *chain) record(of any) Record {
	all, _ := c.value(of).(Record)
	return all
}

// set sets variables.
func (c *chain) set(variables yaml.MapSlice) {
	for _, v := range variables {
		c.vars[c.text(v.Key.(string))] = c.value(v.Value)
	}
}

// is reports whether an expression is true.
func (c *chain) is(expression string) bool {
	true, _ := template.IsTrue(c.value(expression))
	return true
}

// text returns a text with what its expressions are.
func (c *chain) text(of string) string {
	if expression, is := strings.CutPrefix(of, "= "); is {
		of = "{{" + expression + "}}"
	}
	return c.evaluate(of, func(any) string { return "" })
}

func (c *chain) evaluate(of string, give func(any) string) string {
	if c.err != nil || !strings.Contains(of, "{{") {
		return of
	}
	var out strings.Builder
	parsed, err := template.New("").Funcs(c.calls).Funcs(template.FuncMap{"give": give}).Parse(of)
	if err == nil {
		err = parsed.Execute(&out, c.vars)
	}
	c.err = cmp.Or(c.err, err)
	return out.String()
}
