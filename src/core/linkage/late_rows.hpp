// A square matrix of values into whose columns a merge writes nothing: it writes the row of the union, and other rows
// catch up when they are read. A row is read some three times in its life, and most unions are gone by then; writing
// them all would take a cache line for each value.
//
// What always holds: the value between two slots is in the row of the one that changed last, and in that of the other
// from its next reading on. For a union that is younger than the last reading of x, the row of the union was written
// when x was as it is now.
#pragma once

#include <vector>

#include "square.hpp"

namespace chamfer {

template <class T>
class LateRows {
   public:
    // The lower half of `square` becomes like the upper one.
    explicit LateRows(Square<T>& square) : square_(square), born_(square.n(), -1), read_(square.n(), 0) {
        unions_.reserve(square.n());
        square.mirror();
    }

    Index width() const { return square_.n(); }

    // Values between c and all slots that are not gone; anything for those gone.
    T* row(Id c) {
        T* row = square_.row(c);
        for (auto next = unions_.rbegin(); next != unions_.rend() && next->born >= read_[c]; ++next)
            row[next->slot] = square_.row(next->slot)[c];
        read_[c] = now_;
        return row;
    }

    // The row of `kept` has become that of the union; `lost` is gone.
    void unite(Id lost, Id kept) {
        forget(lost);
        forget(kept);
        unions_.push_back({kept, now_});
        born_[kept] = now_++;
        read_[kept] = now_;
        square_.row(kept)[kept] = kFar<T>;
    }

   private:
    struct Union {
        Id slot, born;
    };

    void forget(Id c) {
        if (born_[c] >= 0) unions_.erase(std::ranges::lower_bound(unions_, born_[c], {}, &Union::born));
    }

    Square<T>& square_;
    std::vector<Union> unions_;    // those not gone, by age
    std::vector<Id> born_, read_;  // merges before a slot became a union, and before its row was read
    Id now_ = 0;
};

}  // namespace chamfer
