// Package valuesets holds the values of the interface's named enumerations: the published ones, as a deployer may have
// replaced or extended them.
package valuesets

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

// The sets, by the names that the interface gives them.
const (
	ProductCatalog           = "ProductCatalog"
	ProductModel             = "ProductModel"
	ContractType             = "ContractType"
	PremiumPaymentFrequency  = "PremiumPaymentFrequency"
	PaymentMethod            = "PaymentMethod"
	EndorsementType          = "EndorsementType"
	ClaimType                = "ClaimType"
	ReceiptType              = "ReceiptType"
	IDType                   = "IdType"
	MotorPeril               = "MotorPeril"
	CyberCoverageCategory    = "CyberCoverageCategory"
	PropertyPeril            = "PropertyPeril"
	PropertyType             = "PropertyType"
	TradeCreditType          = "TradeCreditType"
	TradeCreditPeril         = "TradeCreditPeril"
	TypeBusinessInterruption = "TypeBusinessInterruption"
	PetKind                  = "PetKind"
	PetBreed                 = "PetBreed"
	PetBenefit               = "PetBenefit"
	Currency                 = "Currency"
	Country                  = "Country"
)

//go:embed published.yaml
var published []byte

// Set is the values of one enumeration, in published order, and the corrected spellings that are accepted for some.
type Set struct {
	Values    []string          `yaml:"values"`
	Corrected map[string]string `yaml:"corrected"`

	stored map[string]string // every accepted spelling -> the value that is stored
}

// Registry is the value sets in force.
type Registry struct{ sets map[string]*Set }

// Published returns the sets as published.
func Published() *Registry {
	sets, err := parse(published)
	if err != nil {
		// The file is part of the program, and a test reads it.
		panic(err)
	}
	sets[Currency] = &Set{Values: currencies()}
	sets[Country] = &Set{Values: countryCodes()}
	r := &Registry{sets: sets}
	for name := range sets {
		if err := r.index(name); err != nil {
			panic(err)
		}
	}
	return r
}

// unamended returns the sets as published, the same ones at each call: services of one process share them, since
// nobody changes sets that are in force.
var unamended = sync.OnceValue(Published)

// amendment is what a deployer's file says of one set.
type amendment struct {
	Values    []string          `yaml:"values"`
	Extend    []string          `yaml:"extend"`
	Corrected map[string]string `yaml:"corrected"`
}

// Load returns the published sets with the amendments of a file; an empty path means no amendments. For each set that
// the file names, `values` replaces the values, `extend` adds values, and `corrected` adds accepted spellings. Load
// returns an error for a file that cannot be read, for an unknown set, and for values that are empty or not unique.
func Load(path string) (*Registry, error) {
	if path == "" {
		return unamended(), nil
	}
	r := Published()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var amendments map[string]amendment
	if err := yaml.UnmarshalWithOptions(text, &amendments, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("value sets in %s: %w", path, err)
	}
	for name, a := range amendments {
		set, known := r.sets[name]
		if !known {
			return nil, fmt.Errorf("value sets in %s: there is no set %q; the sets are %s", path, name,
				strings.Join(r.Names(), ", "))
		}
		if a.Values != nil {
			set.Values, set.Corrected = a.Values, nil
		}
		set.Values = append(set.Values, a.Extend...)
		if set.Corrected == nil {
			set.Corrected = map[string]string{}
		}
		maps.Copy(set.Corrected, a.Corrected)
		if err := r.index(name); err != nil {
			return nil, fmt.Errorf("value sets in %s: %w", path, err)
		}
	}
	return r, nil
}

// Names returns the names of the sets, sorted.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.sets)) }

// Values returns the values of a set in order, or nil if there is no such set.
func (r *Registry) Values(set string) []string {
	s := r.sets[set]
	if s == nil {
		return nil
	}
	return slices.Clone(s.Values)
}

// Meant returns the value of a set that people mean by one that the set does not have; empty if that is not known.
func (r *Registry) Meant(set, value string) string {
	if meant := countryMeant[value]; set == Country && slices.Contains(r.Values(set), meant) {
		return meant
	}
	return ""
}

// Accepted returns every spelling that a set accepts: its values in order, then the corrected spellings, sorted.
func (r *Registry) Accepted(set string) []string {
	accepted := r.Values(set)
	if s := r.sets[set]; s != nil {
		accepted = append(accepted, slices.Sorted(maps.Keys(s.Corrected))...)
	}
	return accepted
}

// Lookup returns the value that is stored for a spelling, and whether the set accepts the spelling. Case and spaces
// matter.
func (r *Registry) Lookup(set, value string) (stored string, ok bool) {
	s := r.sets[set]
	if s == nil {
		return "", false
	}
	stored, ok = s.stored[value]
	return stored, ok
}

func parse(text []byte) (map[string]*Set, error) {
	var sets map[string]*Set
	err := yaml.UnmarshalWithOptions(text, &sets, yaml.Strict())
	return sets, err
}

func (r *Registry) index(name string) error {
	set := r.sets[name]
	set.stored = make(map[string]string, len(set.Values)+len(set.Corrected))
	for _, value := range set.Values {
		if _, twice := set.stored[value]; twice || value == "" {
			return fmt.Errorf("set %s: value %q is empty or occurs twice", name, value)
		}
		set.stored[value] = value
	}
	for spelling, value := range set.Corrected {
		if set.stored[value] != value {
			return fmt.Errorf("set %s: corrected spelling %q stands for %q, which is no value", name, spelling, value)
		}
		set.stored[spelling] = value
	}
	return nil
}
