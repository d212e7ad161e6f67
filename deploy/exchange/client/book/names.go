package book

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// The names of invented people and places.
var (
	firstNames = []string{
		"Abelia", "Bronwick", "Cassimira", "Dorvald", "Elowena", "Fenwright", "Gisolde", "Harloff",
		"Isaveth", "Jorrimund",
		"Kestrella", "Lormund", "Mirabeth", "Nestorix", "Ottoline", "Perrivald", "Quillon", "Rosalva",
		"Sigmara", "Tolliver",
	}
	lastNames = []string{
		"Sampleton", "Testwell", "Mockridge", "Placeholm", "Specimann", "Fictowski", "Imaginelli",
		"Pretendez", "Dummerby",
		"Exampleforth", "Notreal", "Madeupsen", "Inventeau", "Trialstone", "Demoulin",
	}
	towns = []struct{ name, country string }{
		{"Exampleton", "GB"}, {"Mockford", "GB"}, {"Port Sample", "IE"}, {"Musterstadt", "DE"},
		{"Beispielhausen", "CH"},
		{"Fictiville", "FR"}, {"Inventopoli", "IT"}, {"Testbury", "GB"},
	}
	trades   = []string{"Freight", "Textiles", "Bakery", "Robotics", "Optics", "Timber", "Software", "Orchards"}
	petNames = []string{"Biscuit", "Pixel", "Sir Woofalot", "Mopsy", "Quark", "Tinsel", "Noodle"}
)

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// between returns a random number from least to most, which is least plus a multiple of step.
func between(rng *rand.Rand, least, most, step int) int {
	return least + rng.IntN((most-least)/step+1)*step
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

func instant(t time.Time) string { return t.Format(time.RFC3339) }

// address returns an address in an invented place.
func (c *chain) address() Record {
	town := pick(c.rng, towns)
	return Record{
		"building": fmt.Sprint(1 + c.rng.IntN(180)), "streetName": pick(c.rng, lastNames) + " Street",
		"city":    town.name,
		"country": town.country, "postalCode": fmt.Sprintf("%05d", c.rng.IntN(100000)),
	}
}

// birth returns the birthday of an adult.
func (c *chain) birth() string { return day(c.AsOf.AddDate(-20-c.rng.IntN(50), 0, -c.rng.IntN(365))) }

// number returns a number that is unique in the book. Its first letter says what it numbers.
func (c *chain) number(letter string, i int) string {
	return fmt.Sprintf("%s%d-%05d", letter, c.Seed, i)
}

// values returns the values that a member may have. The member must have a value set.
func (c *chain) values(resource, member string) []string {
	r, _ := c.catalog.Find(resource)
	m, _ := r.Member(member)
	if len(m.Values) == 0 {
		if c.err == nil {
			c.err = fmt.Errorf("the exchange's OpenAPI document names no values of %s of %s", member, resource)
		}
		return []string{""}
	}
	return m.Values
}

// one returns a value that a member may have: the preferred one if it is allowed, and otherwise a random one.
func (c *chain) one(resource, member, preferred string) string {
	values := c.values(resource, member)
	if slices.Contains(values, preferred) {
		return preferred
	}
	return values[0]
}

// any returns a random value that a member may have.
func (c *chain) any(resource, member string) string { return pick(c.rng, c.values(resource, member)) }

// some returns n different random values that a member may have, or all of them if there are fewer.
func (c *chain) some(resource, member string, n int) []string {
	values := c.values(resource, member)
	var all []string
	for _, i := range c.rng.Perm(len(values))[:min(n, len(values))] {
		all = append(all, values[i])
	}
	return all
}
