package internalapi

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// identities are the members, at any depth, by which a person, a company or a thing is identified elsewhere. They are
// their owner's, whoever sees the record.
var identities = []string{
	"idType", "idNumber", "registrationNumber", "licenceNumber", "vin", "chassisNumber", "plateNumber", "dob",
	"driverDOB",
}

// Identifies reports whether a member of a record, which may be written in any case, identifies somebody or something.
func Identifies(member string) bool {
	return slices.ContainsFunc(identities, func(i string) bool { return strings.EqualFold(i, member) })
}

// Unidentified returns a record as it is shown to another organisation than its owner: without what identifies. Each
// path on which an organisation sees a record of another one's policy shows it so. It returns an error for what is no
// JSON.
func Unidentified(record []byte) ([]byte, error) {
	in := jsontext.NewDecoder(bytes.NewReader(record))
	var without bytes.Buffer
	out := jsontext.NewEncoder(&without)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return bytes.TrimSpace(without.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		within, read := in.StackIndex(in.StackDepth())
		if within == jsontext.KindBeginObject && token.Kind() == jsontext.KindString && read%2 == 1 &&
			Identifies(token.String()) {
			if err := in.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if err := out.WriteToken(token); err != nil {
			return nil, err
		}
	}
}
