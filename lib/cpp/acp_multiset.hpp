// acp_multiset.hpp - sets that count how often each key was inserted, which all ranks share.
//
// A multiset is a handle as acp::map is one, and any rank may call all functions at any time, except for destroy.
#ifndef GOACP_ACP_MULTISET_HPP
#define GOACP_ACP_MULTISET_HPP

#include "acp_table.hpp"

#include <cstdint>

namespace acp {

// A multiset of K, which has a codec.
template <class K> class multiset : public detail::table<acp_multiset_t> {
public:
    using table::table;

    // Makes an empty multiset. Otherwise as map::create. acp_create_multiset.
    static multiset create(int slots, span<const int> ranks = {}) {
        return multiset(make(acp_create_multiset, slots, ranks));
    }

    // Frees the multiset. Any process. Blocks for round trips to other hosts. acp_destroy_multiset.
    void destroy() noexcept { acp_destroy_multiset(release()); }

    // Inserts a key once more. Reports whether it was not in the multiset before. Throws error if a heap is
    // full. Any process. Blocks for one round trip at most. acp_insert_many_multiset.
    bool insert(const K &key) { return one(acp_insert_many_multiset, key, nullptr); }

    // Returns how often a key is in the multiset. Throws error. Any process. Blocks for one round trip at
    // most. acp_retrieve_many_multiset.
    std::uint64_t count(const K &key) const {
        std::uint64_t times = 0;
        one(acp_retrieve_many_multiset, key, &times);
        return times;
    }

    // Removes a key once. Reports whether it was in the multiset. Throws error. Any process. Blocks for one
    // round trip at most. acp_remove_many_multiset.
    bool erase(const K &key) { return one(acp_remove_many_multiset, key, nullptr); }

    // Removes a key, however often it is there. Throws error if the key has no bytes or there is no memory for them.
    // The function of C has no result, so last_error alone shows its failures. Any process. Blocks for one round
    // trip at most. acp_remove_all_multiset.
    void erase_all(const K &key) { acp_remove_all_multiset(handle_, detail::encoded(key).element()); }

    // Returns the number of different keys. Any process. Blocks for round trips to other hosts.
    // acp_size_multiset.
    std::size_t size() const noexcept { return acp_size_multiset(handle_); }
    // Removes all keys. Any process. Blocks for round trips to other hosts. acp_clear_multiset.
    void clear() noexcept { acp_clear_multiset(handle_); }

    // Calls f(key) with a copy of each different key, as long as no rank removes keys. Throws error. Any
    // process. Blocks for round trips to other hosts. acp_begin_multiset, acp_increment_multiset_it,
    // acp_dereference_multiset_it.
    template <class F> void for_each(F f) const {
        each<K>(acp_begin_multiset(handle_), acp_increment_multiset_it, acp_dereference_multiset_it, f);
    }
};

} // namespace acp

#endif
