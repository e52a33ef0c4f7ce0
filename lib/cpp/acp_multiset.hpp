// acp_multiset.hpp - sets that count how often each key was inserted, which all ranks share.
//
// A multiset is a handle as acp::map is one, and any rank may call all functions at any time, except for destroy.
#ifndef GOACP_ACP_MULTISET_HPP
#define GOACP_ACP_MULTISET_HPP

#include "acp_table.hpp"

#include <utility>
#include <vector>

namespace acp {

// A multiset of K, which has a codec.
template <class K> class multiset {
public:
    // Makes a handle of no multiset.
    multiset() noexcept = default;
    // Makes the handle of a multiset of C. Does not block.
    explicit multiset(acp_multiset_t handle) noexcept : set_(handle) {}

    // Makes an empty multiset. Otherwise as map::create. acp_create_multiset.
    static multiset create(int slots, span<const int> ranks = {}) {
        const std::vector<int> all = detail::table_ranks(ranks);
        const multiset made(acp_create_multiset(static_cast<int>(all.size()), all.data(), slots, acp_rank()));
        detail::require(static_cast<bool>(made));
        return made;
    }

    // Frees the multiset. Any process. Blocks for round trips to other hosts. acp_destroy_multiset.
    void destroy() noexcept { acp_destroy_multiset(std::exchange(set_, acp_multiset_t{})); }

    // Reports whether the handle is that of a multiset. Does not block.
    explicit operator bool() const noexcept { return set_.ga != ACP_GA_NULL; }

    // Inserts a key once more. Reports whether it was not in the multiset before. Throws error if a heap is
    // full. Any process. Blocks for one round trip at most. acp_insert_many_multiset.
    bool insert(const K &key) {
        const detail::encoded k(key);
        const acp_element_t element = k.element();
        const int inserted = acp_insert_many_multiset(set_, &element, 1, nullptr);
        detail::require(inserted >= 0);
        return inserted == 1;
    }

    // Returns how often a key is in the multiset. Throws error. Any process. Blocks for one round trip at
    // most. acp_retrieve_many_multiset.
    std::uint64_t count(const K &key) const {
        const detail::encoded k(key);
        const acp_element_t element = k.element();
        std::uint64_t times = 0;
        detail::require(acp_retrieve_many_multiset(set_, &element, 1, &times) >= 0);
        return times;
    }

    // Removes a key once. Reports whether it was in the multiset. Throws error. Any process. Blocks for one
    // round trip at most. acp_remove_many_multiset.
    bool erase(const K &key) {
        const detail::encoded k(key);
        const acp_element_t element = k.element();
        const int removed = acp_remove_many_multiset(set_, &element, 1, nullptr);
        detail::require(removed >= 0);
        return removed == 1;
    }

    // Removes a key, however often it is there. Throws error. Any process. Blocks for one round trip at most.
    // acp_remove_all_multiset.
    void erase_all(const K &key) { acp_remove_all_multiset(set_, detail::encoded(key).element()); }

    // Returns the number of different keys. Any process. Blocks for round trips to other hosts.
    // acp_size_multiset.
    std::size_t size() const noexcept { return acp_size_multiset(set_); }
    // Removes all keys. Any process. Blocks for round trips to other hosts. acp_clear_multiset.
    void clear() noexcept { acp_clear_multiset(set_); }

    // Calls f(key) with a copy of each different key, as long as no rank removes keys. Throws error. Any
    // process. Blocks for round trips to other hosts. acp_begin_multiset, acp_increment_multiset_it,
    // acp_dereference_multiset_it.
    template <class F> void for_each(F f) const {
        for (acp_multiset_it_t it = acp_begin_multiset(set_); it.elem != ACP_GA_NULL;
             it = acp_increment_multiset_it(it)) {
            const acp_element_t key = acp_dereference_multiset_it(it);
            if (key.ga != ACP_GA_NULL)
                f(detail::decode<K>(key));
        }
    }

    // Returns the handle of C. Does not block.
    acp_multiset_t handle() const noexcept { return set_; }

private:
    acp_multiset_t set_{};
};

} // namespace acp

#endif
