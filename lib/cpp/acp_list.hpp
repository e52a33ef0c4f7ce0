// acp_list.hpp - lists whose elements lie on any ranks.
//
// A list is a handle as acp::map is one. While one rank changes a list, no other rank may use it.
#ifndef GOACP_ACP_LIST_HPP
#define GOACP_ACP_LIST_HPP

#include "acp_table.hpp"

#include <optional>

namespace acp {

// A list of T, which has a codec. Elements are never empty strings. acp::list is a list of points of acp_couple.hpp.
template <class T> class linked_list : public detail::structure<acp_list_t> {
public:
    using structure::structure;

    // Makes an empty list on rank. Throws error if there is no such rank or its heap is full. Any process.
    // Blocks for one round trip, or none on one host. acp_create_list.
    static linked_list create(int rank) { return linked_list(made(acp_create_list(rank))); }

    // Frees the list. Any process. Blocks for round trips to other hosts. acp_destroy_list.
    void destroy() noexcept { acp_destroy_list(release()); }

    // Returns the number of elements. Any process. Blocks for one round trip, or none on one host.
    // acp_size_list.
    std::size_t size() const noexcept { return acp_size_list(handle_); }

    // Appends an element, which lies on rank. Throws error if there is no such rank or its heap is full. Any
    // process. Blocks for one round trip at most. acp_push_back_many_list.
    void push_back(const T &value, int rank) { push(acp_push_back_many_list, value, rank); }
    // Appends an element, which lies on this rank. Otherwise as the other form. acp_push_back_many_list.
    void push_back(const T &value) { push_back(value, acp_rank()); }

    // Puts an element before the first one. Otherwise as push_back. acp_push_front_many_list.
    void push_front(const T &value, int rank) { push(acp_push_front_many_list, value, rank); }
    // Puts an element of this rank before the first one. Otherwise as push_back. acp_push_front_many_list.
    void push_front(const T &value) { push_front(value, acp_rank()); }

    // Returns the first element, or nothing if there is none. Throws error. Any process. Blocks for a few
    // round trips, or none on one host. acp_begin_list, acp_dereference_list_it.
    std::optional<T> front() const { return at(acp_begin_list(handle_)); }

    // Returns the last element. Otherwise as front. acp_end_list, acp_decrement_list_it.
    std::optional<T> back() const { return at(acp_decrement_list_it(acp_end_list(handle_))); }

    // Removes the first element and returns it, or nothing if there is none. Otherwise as front.
    // acp_erase_list.
    std::optional<T> pop_front() { return take(acp_begin_list(handle_)); }

    // Removes the last element. Otherwise as pop_front. acp_decrement_list_it, acp_erase_list.
    std::optional<T> pop_back() { return take(acp_decrement_list_it(acp_end_list(handle_))); }

    // Removes all elements that are equal to value. Throws error if value has no bytes or there is no memory for
    // them. The function of C has no result, so last_error alone shows its failures. Any process. Blocks for round
    // trips to other hosts. acp_remove_list.
    void remove(const T &value) { acp_remove_list(handle_, detail::encoded(value).element()); }

    // Reverses the order. Any process. Blocks for round trips to other hosts. acp_reverse_list.
    void reverse() noexcept { acp_reverse_list(handle_); }
    // Removes all elements. Any process. Blocks for round trips to other hosts. acp_clear_list.
    void clear() noexcept { acp_clear_list(handle_); }

    // Calls f(element) with copies of the elements in their order. f may append and prepend elements, for which it
    // is not called, but it must not remove or reverse any. Throws error. Any process. Blocks for round trips to
    // other hosts. acp_begin_list, acp_increment_list_it, acp_dereference_list_it.
    template <class F> void for_each(F f) const {
        acp_list_it_t it = acp_begin_list(handle_);
        detail::require(it.elem != ACP_GA_NULL);
        for (std::size_t left = size(); left > 0; left--, it = acp_increment_list_it(it))
            f(element(it));
    }

private:
    void push(int (*many)(acp_list_t, const acp_element_t *, int, int), const T &value, int rank) {
        const detail::encoded bytes(value);
        const acp_element_t element = bytes.element();
        detail::require(many(handle_, &element, 1, rank) == 0);
    }

    // Returns a copy of the element of an iterator.
    static T element(acp_list_it_t it) {
        const acp_element_t bytes = acp_dereference_list_it(it);
        detail::require(bytes.ga != ACP_GA_NULL);
        return detail::decode<T>(bytes);
    }

    // Returns a copy of the element of an iterator, or nothing at the end.
    std::optional<T> at(acp_list_it_t it) const {
        detail::require(it.elem != ACP_GA_NULL);
        if (it.elem == handle_.ga)
            return std::nullopt;
        return element(it);
    }

    std::optional<T> take(acp_list_it_t it) {
        std::optional<T> value = at(it);
        if (value)
            detail::require(acp_erase_list(it).elem != ACP_GA_NULL);
        return value;
    }
};

} // namespace acp

#endif
