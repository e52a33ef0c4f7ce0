// acp_table.hpp - sets and maps that all ranks share and change at the same time.
//
// The types are handles (acp_structure.hpp). Any rank may call all functions at any time, except for destroy. Keys
// and values are never empty strings. Small keys and values take no allocation in the caller.
#ifndef GOACP_ACP_TABLE_HPP
#define GOACP_ACP_TABLE_HPP

#include "acp_codec.hpp"
#include "acp_runtime.hpp"
#include "acp_slots.hpp"
#include "acp_span.hpp"
#include "acp_structure.hpp"

#include <optional>
#include <vector>

namespace acp {
namespace detail {

// A key as bytes in memory with a global address, and room behind it for a value: one slot for both takes less time than
// two.
class encoded {
public:
    struct with_value {};

    // Encodes a key, with room for a value of that many bytes.
    template <class K>
    [[gnu::always_inline]] explicit encoded(const K &key, std::size_t room = 0)
        : size_(filled(codec<K>::size(key))), room_(room), bytes_(begin_of_room() + room) {
        codec<K>::write(key, bytes_.at());
    }

    // Encodes a key and its value.
    template <class K, class V>
    [[gnu::always_inline]] encoded(const K &key, const V &value, with_value) : encoded(key, filled(codec<V>::size(value))) {
        codec<V>::write(value, static_cast<std::byte *>(bytes_.at()) + begin_of_room());
    }

    acp_element_t element() const noexcept { return {bytes_.ga(), size_}; }
    acp_element_t room() const noexcept { return {bytes_.ga() + begin_of_room(), room_}; }
    const void *result() const noexcept { return static_cast<const std::byte *>(bytes_.at()) + begin_of_room(); }

private:
    // Returns the size. Throws error if it is 0.
    static std::size_t filled(std::size_t size) {
        if (size == 0)
            throw error(std::errc::invalid_argument, "keys, values and elements are not empty");
        return size;
    }
    std::size_t begin_of_room() const noexcept { return (size_ + 15) / 16 * 16; }

    std::size_t size_, room_;
    loan bytes_;
};

// Returns the value of bytes of any rank.
template <class T> T decode(acp_element_t from) {
    const slot bytes = slot::take(from.size);
    fetch(from, bytes);
    return codec<T>::read(bytes.at(), from.size);
}

// The part that maps, sets and multisets have. H is the handle of C.
template <class H> class table : public structure<H> {
public:
    using structure<H>::structure;

protected:
    // Returns what a function of C makes on the ranks of the list, or on those of runtime::ranks.
    static H make(H (*create)(int, const int *, int, int), int slots, span<const int> list) {
        const std::vector<int> ranks = list.empty() ? runtime::ranks() : std::vector<int>(list.begin(), list.end());
        return structure<H>::made(create(static_cast<int>(ranks.size()), ranks.data(), slots, acp_rank()));
    }

    // Calls a function of C for many keys with one key. Reports whether it counts the key.
    template <class F, class K, class R> bool one(F many, const K &key, R result) const {
        const encoded k(key);
        const acp_element_t element = k.element();
        const int n = many(this->handle_, &element, 1, result);
        require(n >= 0);
        return n == 1;
    }

    // Calls f with a copy of each key from an iterator on.
    template <class K, class I, class F> static void each(I it, I (*next)(I), acp_element_t (*key_at)(I), F &f) {
        for (; it.elem != ACP_GA_NULL; it = next(it)) {
            const acp_element_t key = key_at(it);
            if (key.ga != ACP_GA_NULL)
                f(decode<K>(key));
        }
    }
};

} // namespace detail

// A map from K to V. K and V have a codec.
template <class K, class V> class map : public detail::table<acp_map_t> {
public:
    using table::table;

    // Makes an empty map with a table of slots slots on each of the ranks, by default on those of
    // runtime::ranks. Throws error if a number is wrong or a heap is full. Any process. Blocks for round trips
    // to other hosts. acp_create_map.
    static map create(int slots, span<const int> ranks = {}) { return map(make(acp_create_map, slots, ranks)); }

    // Frees the map. Any process. Blocks for round trips to other hosts. acp_destroy_map.
    void destroy() noexcept { acp_destroy_map(release()); }

    // Inserts a pair unless the key is in the map. Reports whether it was inserted. Throws error if a heap is
    // full. Any process. Blocks for one round trip at most. acp_insert_many_map.
    bool insert(const K &key, const V &value) {
        const detail::encoded both(key, value, detail::encoded::with_value());
        const acp_pair_t pair{both.element(), both.room()};
        const int inserted = acp_insert_many_map(handle_, &pair, 1, nullptr);
        detail::require(inserted >= 0);
        return inserted == 1;
    }

    // Returns the value of a key, or nothing if the key is not in the map. Throws error; code bad_message
    // means that the value is none of a V. Any process. Blocks for one round trip at most, and for a few if V
    // has no fixed number of bytes and the value has more than 255. acp_retrieve_many_map.
    std::optional<V> find(const K &key) const {
        if constexpr (codec<V>::fixed != 0) {
            const detail::encoded k(key, codec<V>::fixed + 1);
            const acp_pair_t pair{k.element(), k.room()};
            std::size_t size = 0;
            const int found = acp_retrieve_many_map(handle_, &pair, 1, &size);
            detail::require(found >= 0);
            if (found == 0)
                return std::nullopt;
            return codec<V>::read(k.result(), size);
        } else {
            const detail::encoded k(key);
            for (std::size_t room = detail::slots::size;; room *= 4) {
                const detail::slot value = detail::slot::take(room);
                const acp_pair_t pair{k.element(), {value.ga(), room}};
                std::size_t size = 0;
                const int found = acp_retrieve_many_map(handle_, &pair, 1, &size);
                detail::require(found >= 0);
                if (found == 0)
                    return std::nullopt;
                if (size < room) // otherwise it may be a part of the value
                    return codec<V>::read(value.at(), size);
            }
        }
    }

    // Reports whether a key is in the map. Throws error. Any process. Blocks for one round trip at most.
    // acp_find_many_map.
    bool contains(const K &key) const {
        acp_map_it_t it;
        return one(acp_find_many_map, key, &it);
    }

    // Removes a key and its value. Reports whether the key was in the map. Throws error. Any process. Blocks
    // for one round trip at most. acp_remove_many_map.
    bool erase(const K &key) { return one(acp_remove_many_map, key, nullptr); }

    // Returns the number of pairs. Any process. Blocks for round trips to other hosts. acp_size_map.
    std::size_t size() const noexcept { return acp_size_map(handle_); }
    // Removes all pairs. Any process. Blocks for round trips to other hosts. acp_clear_map.
    void clear() noexcept { acp_clear_map(handle_); }

    // Calls f(key, value) with copies of each pair, as long as no rank removes pairs. Throws error. Any
    // process. Blocks for round trips to other hosts. acp_begin_map, acp_increment_map_it,
    // acp_dereference_map_it.
    template <class F> void for_each(F f) const {
        for (acp_map_it_t it = acp_begin_map(handle_); it.elem != ACP_GA_NULL; it = acp_increment_map_it(it)) {
            const acp_pair_t pair = acp_dereference_map_it(it);
            if (pair.first.ga != ACP_GA_NULL)
                f(detail::decode<K>(pair.first), detail::decode<V>(pair.second));
        }
    }
};

// A set of K, which has a codec.
template <class K> class set : public detail::table<acp_set_t> {
public:
    using table::table;

    // Makes an empty set. Otherwise as map::create. acp_create_set.
    static set create(int slots, span<const int> ranks = {}) { return set(make(acp_create_set, slots, ranks)); }

    // Frees the set. Any process. Blocks for round trips to other hosts. acp_destroy_set.
    void destroy() noexcept { acp_destroy_set(release()); }

    // Inserts a key. Reports whether it was not in the set before. Throws error if a heap is full. Any
    // process. Blocks for one round trip at most. acp_insert_many_set.
    bool insert(const K &key) { return one(acp_insert_many_set, key, nullptr); }

    // Reports whether a key is in the set. Throws error. Any process. Blocks for one round trip at most.
    // acp_find_many_set.
    bool contains(const K &key) const {
        acp_set_it_t it;
        return one(acp_find_many_set, key, &it);
    }

    // Removes a key. Reports whether it was in the set. Throws error. Any process. Blocks for one round trip
    // at most. acp_remove_many_set.
    bool erase(const K &key) { return one(acp_remove_many_set, key, nullptr); }

    // Returns the number of keys. Any process. Blocks for round trips to other hosts. acp_size_set.
    std::size_t size() const noexcept { return acp_size_set(handle_); }
    // Removes all keys. Any process. Blocks for round trips to other hosts. acp_clear_set.
    void clear() noexcept { acp_clear_set(handle_); }

    // Calls f(key) with a copy of each key, as long as no rank removes keys. Throws error. Any process.
    // Blocks for round trips to other hosts. acp_begin_set, acp_increment_set_it, acp_dereference_set_it.
    template <class F> void for_each(F f) const {
        each<K>(acp_begin_set(handle_), acp_increment_set_it, acp_dereference_set_it, f);
    }
};

} // namespace acp

#endif
