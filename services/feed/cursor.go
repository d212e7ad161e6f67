package feed

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"golang.org/x/crypto/chacha20poly1305"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/organisation"
	"insurance.example/exchange/services/feed/merged"
)

// cursor is a place in the feed, as callers carry it: sealed, so that they cannot read or alter it.
type cursor struct {
	// Given is when it was given, as a Unix time by the clock of the exchange.
	Given int64 `json:"g"`
	// Type and PolicyNumber are what the page before was asked for.
	Type         string        `json:"t,omitzero"`
	PolicyNumber string        `json:"n,omitzero"`
	At           merged.Places `json:"a"`
}

// seal seals cursors with a key that all replicas of the service share.
type seal struct{ cipher.AEAD }

// encoding is strict, so that each cursor has one text.
var encoding = base64.RawURLEncoding.Strict()

// sealedFor is authenticated with every cursor. Another form of cursors has another text.
var sealedFor = []byte("exchange events 1")

// longestCursor bounds what is opened, in bytes of text.
const longestCursor = 4 << 10

func (s seal) close(c cursor) (string, error) {
	text, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	sealed := make([]byte, s.NonceSize(), s.NonceSize()+len(text)+s.Overhead())
	_, _ = rand.Read(sealed) // never fails
	return encoding.EncodeToString(s.Seal(sealed, sealed, text, sealedFor)), nil
}

var errSeal = errors.New("not a cursor of this exchange")

// open returns the cursor of a text. Errors: it is none that was given, or was altered.
func (s seal) open(text string) (c cursor, err error) {
	if len(text) > longestCursor {
		return c, errSeal
	}
	sealed, err := encoding.DecodeString(text)
	if err != nil || len(sealed) < s.NonceSize() {
		return c, errSeal
	}
	plain, err := s.Open(nil, sealed[:s.NonceSize()], sealed[s.NonceSize():], sealedFor)
	if err == nil {
		err = json.Unmarshal(plain, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %w", errSeal, err)
	}
	return c, nil
}

// age returns how long ago a cursor was given.
func (c cursor) age(now time.Time) time.Duration { return now.Sub(time.Unix(c.Given, 0)) }

// The collection of the key, its only index, and the only value there.
const (
	sealName  = "seal"
	nameIndex = "name"
	cursors   = "cursors"
)

// sealKey is the document of the key.
type sealKey struct {
	Name string `json:"name"`
	Key  []byte `json:"key"`
}

// openSeal returns the seal of the database, which the first process of the service makes.
func openSeal(ctx context.Context, store docstore.Store) (seal, error) {
	kept, err := store.Collection(ctx, docstore.Spec{
		Name: sealName, Indexes: []docstore.Index{{Name: nameIndex, Unique: true}},
	})
	if err != nil {
		return seal{}, err
	}
	find := docstore.Query{Equal: docstore.Keys{nameIndex: cursors}, Limit: 1}
	for {
		found, err := kept.Find(ctx, organisation.Exchange(), find)
		if err != nil {
			return seal{}, err
		}
		if len(found) == 1 {
			var key sealKey
			if err := json.Unmarshal(found[0].Body, &key); err != nil {
				return seal{}, fmt.Errorf("stored key: %w", err)
			}
			aead, err := chacha20poly1305.NewX(key.Key)
			return seal{aead}, err
		}
		if err := makeKey(ctx, kept); err != nil {
			return seal{}, err
		}
	}
}

// makeKey stores a new key, unless another process does so at the same time.
func makeKey(ctx context.Context, kept docstore.Collection) error {
	made := sealKey{cursors, make([]byte, chacha20poly1305.KeySize)}
	_, _ = rand.Read(made.Key) // never fails
	body, err := json.Marshal(made)
	if err != nil {
		return err
	}
	id, err := docstore.NewID(uuid.UUID{})
	if err != nil {
		return err
	}
	err = kept.Insert(ctx, organisation.Exchange(),
		docstore.Document{ID: id, Body: body, Keys: docstore.Keys{nameIndex: cursors}})
	if _, taken := docstore.Duplicate(err); taken {
		return nil
	}
	return err
}
