package rows

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"insurance.example/exchange/contracts/parties"
)

// shownObject is what the book reads of what a policy insures, whatever its resource is. Make and Model are no members
// of the interface; many callers send them.
type shownObject struct {
	PlateNumber    string           `json:"plateNumber"`
	VIN            string           `json:"vin"`
	Make           any              `json:"make"`
	Model          any              `json:"model"`
	Address        *parties.Address `json:"address"`
	PropertyType   string           `json:"propertyType"`
	BusinessSector string           `json:"businessSector"`
	FirstName      string           `json:"firstName"`
	LastName       string           `json:"lastName"`
	Name           string           `json:"name"`
	PetName        string           `json:"petName"`
	PetKind        string           `json:"petKind"`
}

// mostWords is how many bytes the words for an object may have.
const mostWords = 200

// describe returns a few words for an object, such as "EX 2026, Golf"; empty if its record has none.
func describe(record []byte) (string, error) {
	var o shownObject
	if err := json.Unmarshal(record, &o); err != nil {
		return "", err
	}
	word := func(value any) string { text, _ := value.(string); return text }
	where := ""
	if a := o.Address; a != nil {
		where = joined(" ", text(a.Building), text(a.StreetName)) + " " + text(a.City)
	}
	words := joined(", ", cmp.Or(o.PlateNumber, o.VIN), joined(" ", word(o.Make), word(o.Model)),
		strings.TrimSpace(where),
		o.PropertyType, o.BusinessSector, cmp.Or(o.Name, joined(" ", o.FirstName, o.LastName)), o.PetName, o.PetKind)
	for len(words) > mostWords {
		words = strings.ToValidUTF8(words[:mostWords], "")
	}
	return words, nil
}

// joined joins the texts that are not empty.
func joined(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(t string) bool { return strings.TrimSpace(t) == "" }), by)
}
