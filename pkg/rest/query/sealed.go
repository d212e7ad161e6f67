package query

import (
	"context"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/request"
)

// Seal seals texts with a key that all replicas of a service share.
type Seal struct{ aead cipher.AEAD }

// encoding is strict, so that each sealed text has one form.
var encoding = base64.RawURLEncoding.Strict()

// longest bounds what is opened, in bytes of text.
const longest = 4 << 10

// ErrSeal means that a text was not sealed by this exchange, was altered, or was given for something else.
var ErrSeal = errors.New("not sealed by this exchange")

// Close seals a text. bound says what it is good for, and is given again to open it.
func (s Seal) Close(plain []byte, bound string) string {
	sealed := make([]byte, s.aead.NonceSize(), s.aead.NonceSize()+len(plain)+s.aead.Overhead())
	_, _ = rand.Read(sealed) // never fails
	return encoding.EncodeToString(s.aead.Seal(sealed, sealed, plain, []byte(bound)))
}

// Open returns what was sealed as a text. Errors: ErrSeal.
func (s Seal) Open(text, bound string) ([]byte, error) {
	if len(text) > longest {
		return nil, ErrSeal
	}
	sealed, err := encoding.DecodeString(text)
	if err != nil || len(sealed) < s.aead.NonceSize() {
		return nil, ErrSeal
	}
	nonce := sealed[:s.aead.NonceSize()]
	plain, err := s.aead.Open(nil, nonce, sealed[len(nonce):], []byte(bound))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSeal, err)
	}
	return plain, nil
}

// The collection of the key, its only index, and the only value there.
const (
	collection = "seal"
	nameIndex  = "name"
	cursors    = "cursors"
)

// key is the document of the key.
type key struct {
	Name string `json:"name"`
	Key  []byte `json:"key"`

	at docstore.At
}

// SealOf returns the seal of a store, which is the exchange's own. The first process of its service makes the key.
func SealOf(ctx context.Context, store docstore.Store) (Seal, error) {
	who := request.OrganisationFrom(request.ForExchange(ctx))
	in, err := store.Collection(ctx, docstore.Spec{
		Name: collection, Unlogged: true, Unowned: true, Indexes: []docstore.Index{{Name: nameIndex, Unique: true}},
	})
	if err != nil {
		return Seal{}, err
	}
	kept := docstore.Kept[key]{In: in, What: "key", At: func(k *key) *docstore.At { return &k.at },
		Keys: func(k *key) docstore.Keys { return docstore.Keys{nameIndex: k.Name} }}
	var is *key
	if err := docstore.Again(func() (err error) {
		if is, err = kept.One(ctx, who, docstore.Keys{nameIndex: cursors}); err != nil || is != nil {
			return err
		}
		is = &key{Name: cursors, Key: make([]byte, chacha20poly1305.KeySize)}
		_, _ = rand.Read(is.Key) // never fails
		return kept.Write(ctx, who, is, nil)
	}); err != nil {
		return Seal{}, err
	}
	aead, err := chacha20poly1305.NewX(is.Key)
	return Seal{aead}, err
}
